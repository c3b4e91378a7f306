export default {
  testDir: 'balanced',
  outputDir: process.env.OUTPUT,
  fullyParallel: true,
  workers: 1,
  reporter: [['line'], ['testledger/playwright', JSON.parse(process.env.OPTIONS)]],
  projects: [
    { name: 'prepare', testMatch: /prepare/ },
    { name: 'desk', testMatch: /(single|grouped)/, dependencies: ['prepare'] },
    { name: 'phone', testMatch: /single/ },
  ],
};

export default {
  testDir: 'tests',
  outputDir: process.env.OUTPUT,
  retries: 1,
  workers: 2,
  reporter: process.env.REPORTERS ? JSON.parse(process.env.REPORTERS) : 'line',
  projects: [{ name: 'desk' }, { name: 'phone', testMatch: /more/ }],
};

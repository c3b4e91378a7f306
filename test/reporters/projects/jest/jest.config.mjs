// These settings give the names of `testledger/jest` (docs/reporters.md).
const junit = {
  suiteNameTemplate: '',
  classNameTemplate: '',
  ancestorSeparator: ' › ',
  titleTemplate({ classname, title, displayName }) {
    const name = [classname, title].filter(Boolean).join(' › ');
    return displayName ? `${name} [${displayName}]` : name;
  },
};

export default {
  testMatch: ['**/*.spec.cjs'],
  testLocationInResults: true,
  reporters: [
    'default',
    ...(process.env.POSTING ? ['testledger/jest'] : []),
    ...(process.env.JUNIT ? [['jest-junit', junit]] : []),
  ],
};

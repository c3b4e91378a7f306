import './no-such-file.js';

it('never runs', () => {});

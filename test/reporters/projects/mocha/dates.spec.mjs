const OwnDate = Date;

function freeze(instant) {
  const at = OwnDate.parse(instant);
  globalThis.Date = class extends OwnDate {
    constructor(...parts) {
      super(...(parts.length === 0 ? [at] : parts));
    }
    static now() {
      return at;
    }
  };
}

const batchIsDue = () => new Promise((resolve) => setTimeout(resolve, 1_500));

describe('a frozen date', () => {
  afterEach(() => {
    globalThis.Date = OwnDate;
  });

  it('passes before', () => {});

  it('passes in 1970 while a batch is posted', async () => {
    freeze('1970-01-01T00:00:00Z');
    await batchIsDue();
  });

  describe('in all tests of a suite', () => {
    beforeEach(() => freeze('2099-01-01T00:00:00Z'));
    before(() => freeze('2099-01-01T00:00:00Z'));

    it('passes in 2099', () => {});

    it('fails in 2099', () => {
      throw new Error('too late');
    });
  });
});

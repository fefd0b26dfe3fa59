/**
 * Operations that go one after another, but for reads, which have their turn between two steps of one that takes long:
 * a merge of what a large archive has goes on for a while, and until it ends all is as it was.
 */
export class Lane {
  #last: Promise<unknown> = Promise.resolve();
  #reads: (() => Promise<void>)[] = [];
  #isUnderWay = false;
  readonly #begin: () => void;

  /** `begin` is called before each operation, and throws where none is possible any more. */
  constructor(begin: () => void) {
    this.#begin = begin;
  }

  /** Something takes long, between whose steps a read has its turn: it must leave things as they are. */
  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  next<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(() => this.#begun(work));
    this.#last = result.catch(() => {});
    return result;
  }

  /** What changes nothing. */
  read<T>(work: () => Promise<T>): Promise<T> {
    const result = new Promise<T>((resolve, reject) => {
      this.#reads.push(() => this.#begun(work).then(resolve, reject));
    });
    this.#last = this.#last.then(() => this.#letRead());
    return result;
  }

  /** Does something, within an operation, that takes long and calls `onStep` between its steps. */
  async atLength(work: (onStep: () => Promise<void>) => Promise<void>): Promise<void> {
    this.#isUnderWay = true;
    try {
      await work(() => this.#letRead());
    } finally {
      this.#isUnderWay = false;
    }
  }

  /** Those that have come by now. */
  async #letRead(): Promise<void> {
    for (const read of this.#reads.splice(0)) await read();
  }

  async #begun<T>(work: () => Promise<T>): Promise<T> {
    this.#begin();
    return work();
  }
}

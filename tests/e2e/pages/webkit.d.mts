/** What Playwright's pages do too. */
export interface Driven {
  goto(url: string): Promise<unknown>;
  evaluate<T, A>(work: (argument: A) => T | Promise<T>, argument: A): Promise<T>;
  close(): Promise<void>;
}
export function startWebKit(): Promise<Driven>;

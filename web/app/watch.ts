/** Ties a Lit element to topics of the store: it updates when they change, from when it is connected until it is not. */
import type { ReactiveController, ReactiveControllerHost } from "lit";

import type { Store, Topic } from "./state.js";

export class Watch implements ReactiveController {
  readonly #host: ReactiveControllerHost & { readonly store: Store };
  readonly #topics: readonly Topic[];
  #off: (() => void)[] = [];

  constructor(host: ReactiveControllerHost & { readonly store: Store }, ...topics: readonly Topic[]) {
    this.#host = host;
    this.#topics = topics;
    host.addController(this);
  }

  hostConnected(): void {
    this.#off = this.#topics.map((topic) => this.#host.store.on(topic, () => this.#host.requestUpdate()));
  }

  hostDisconnected(): void {
    for (const off of this.#off) off();
    this.#off = [];
  }
}

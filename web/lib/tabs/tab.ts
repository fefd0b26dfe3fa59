/**
 * One tab among those that share a collection: stands for election, reaches the owner, and becomes it in its turn.
 *
 * T1  The tab that holds the owner's lock runs the owner's worker; all tabs queue for the lock, first come first served.
 * T2  Every tab's requests go over one steady port; whoever is the owner, the client on it is the same.
 * T3  An owner that says nothing while something waits for it loses its lock to one of those that wait (`steal`). It is
 *     fenced by the claim, not by the lock: see `claim.ts`.
 * T4  A newer page asks older owners to finish. Older tabs stand back for good and are told to reload.
 * Does not know what is asked of the owner, nor what it owns.
 */

import { ArchiveError, abortError, isAbort } from "../errors.js";
import { Client, type Functions } from "../port.js";
import { VERSION, type Calls, type Streams } from "../protocol.js";
import type { StorageKind } from "../store/ladder.js";
import { askToPersist } from "../store/room.js";
import { SharedFiles } from "./files.js";
import { holdLease } from "./lease.js";
import { Broker } from "./reach.js";
import { SteadyPort } from "./steady.js";
import { Watch } from "./watch.js";
import { OWNER, portWire, relayWire, type Wire } from "./wire.js";
import { channelName, compareVersions, isWireWord, ownerLock, PACE, pause, stealLock, type Cry, type FromHost, type Pace, type ToHost } from "./words.js";

export interface TabOptions {
  /** Tabs of one origin with the same name share one owner. */
  readonly name: string;
  /** Makes a worker whose code calls `hostOwner`. */
  readonly startWorker: () => Worker;
  /** Calls and streams that may be made twice, at an old owner and at its follower. */
  readonly repeatable?: ReadonlySet<string> | undefined;
  readonly version?: string | undefined;
  readonly pace?: Partial<Pace> | undefined;
  /** Where the collection may be kept, the best first; what the browser has where it is left out. */
  readonly kinds?: readonly StorageKind[] | undefined;
  /** Where `broker.js` is, if not beside the library. */
  readonly brokerUrl?: string | URL | undefined;
  /** Another owner answers from here on. */
  readonly onOwner?: (owner: { readonly epoch: number; readonly isHere: boolean }) => void;
  /** A newer page is open: this one has to be reloaded. */
  readonly onOutdated?: (version: string) => void;
}

/** What says the same however often it is asked, of whichever owner. */
export const REPEATABLE: ReadonlySet<string> = new Set(["hello", "attach", "inspect", "surt", "memory"]);

/** Between two attempts to be the owner that failed. */
const RETRY_MS_MAX = 30_000;
/** Suspicions for which another tab may be stealing, before that tab counts as frozen too. */
const STEAL_TURNS = 2;

/** What the owner is asked is as for an engine where nothing else is said. */
export class Tab<C extends Functions<C> = Calls, S extends Functions<S> = Streams> {
  readonly id = crypto.randomUUID();
  readonly client: Client<C, S>;
  readonly files: SharedFiles;
  readonly #options: TabOptions;
  readonly #version: string;
  readonly #pace: Pace;
  readonly #channel: BroadcastChannel;
  readonly #broker: Broker;
  readonly #port: SteadyPort;
  readonly #watch: Watch;
  readonly #living = new AbortController();
  /** Closed or outdated: never an owner again. */
  #isOut = false;
  #clientId = "";
  #epoch = 0;
  #heard = 0;
  #attempt = 0;
  #linkingTo = 0;
  #ownerTab = "";
  #leaving = new AbortController();
  #worker: Worker | undefined;
  /** Ends our worker and gives up the lock; `#over` resolves with it. */
  #letGo: () => void = () => {};
  #over: Promise<void> = Promise.resolve();
  #failure: ArchiveError | undefined;
  #failures = 0;
  /** When our own worker last said that it is on its way. */
  #signAt = 0;
  #isStealing = false;
  #stealTurns = 0;
  #beating: ReturnType<typeof setInterval> | undefined;

  constructor(options: TabOptions) {
    const { name } = options;
    this.#options = options;
    this.#version = options.version ?? VERSION;
    this.#pace = { ...PACE, ...options.pace };
    this.#channel = new BroadcastChannel(channelName(name));
    this.#broker = new Broker(channelName(name), options.brokerUrl, this.#pace.linkMs);
    this.files = new SharedFiles(this.#channel);
    this.#watch = new Watch(this.#pace);
    this.#port = new SteadyPort(options.repeatable ?? REPEATABLE);
    this.#port.onheard = (): void => this.#watch.heard();
    this.#port.onwaiting = (): void => this.#startBeating();
    this.client = new Client<C, S>(this.#port);
    this.#join().catch((error: unknown) => {
      // No locks, or none that this page may use: an insecure address, or storage that is switched off.
      const cause = { cause: error };
      this.#port.refuse(new ArchiveError("tabs/unsupported", "This browser, or its settings, does not let tabs share a collection.", cause), true);
    });
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** Leaves; if this tab is the owner, after what is under way. */
  async close(): Promise<void> {
    this.#isOut = true;
    this.#leaving.abort();
    if (this.#worker) {
      this.#tell({ tabs: "finish" });
      await Promise.race([this.#over, pause(this.#pace.graceMs * 2)]);
      this.#letGo();
    }
    this.client.close(abortError());
    this.#port.detach();
    this.#stopBeating();
    this.#broker.close();
    this.#channel.close();
    this.#living.abort();
  }

  async #join(): Promise<void> {
    this.#clientId = await holdLease(this.#options.name, this.id, this.#living.signal);
    if (this.#isOut) return;
    this.#channel.onmessage = (event: MessageEvent): void => this.#hear(event.data as Cry);
    this.#cry({ say: "who" });
    this.#queue();
    this.#startBeating();
  }

  // Election

  #queue(): void {
    if (this.#isOut) return;
    this.#leaving = new AbortController();
    void this.#hold({ signal: this.#leaving.signal }, false);
  }

  /** Waits for the lock, owns while it holds it, and queues again when it lost it. */
  async #hold(options: LockOptions, isStolen: boolean): Promise<void> {
    let isGranted = false;
    try {
      await navigator.locks.request(ownerLock(this.#options.name), options, () => {
        isGranted = true;
        return this.#own(isStolen);
      });
    } catch (error) {
      if (!isAbort(error)) throw error;
      if (!isGranted) return;
      // Stolen from us.
      this.#letGo();
    }
    if (this.#isOut) return;
    await pause(Math.min(this.#pace.beatMs * 2 ** this.#failures, RETRY_MS_MAX));
    this.#queue();
  }

  async #own(isStolen: boolean): Promise<void> {
    if (this.#isOut) return;
    const worker = this.#options.startWorker();
    const trunk = new MessageChannel();
    this.#worker = worker;
    this.#over = new Promise<void>((resolve) => (this.#letGo = resolve));
    const letGo = this.#letGo;
    const starting = this.#sayStarting((): void => fail("engine/worker-failed", "The engine's worker does not start."));
    const fail = (code: string, message: string): void => {
      this.#failure = new ArchiveError(code, message);
      this.#failures += 1;
      letGo();
    };
    worker.onmessage = (event: MessageEvent): void => {
      const word = event.data as FromHost;
      clearInterval(starting);
      if (word.tabs === "owning") void this.#announce(word.epoch, trunk.port1);
      else if (word.tabs === "failed") fail(word.code, word.message);
      // Refused or not, the collection works: how sure it is, the page tells by `room`.
      else if (word.tabs === "persist") void askToPersist().catch(() => false);
      else letGo();
    };
    worker.onerror = (event): void => fail("engine/worker-failed", `The engine's worker failed${event.message ? `: ${event.message}` : " to start"}.`);
    const { name, kinds } = this.#options;
    const own: ToHost = {
      tabs: "own",
      name,
      tab: this.id,
      clientId: this.#clientId,
      version: this.#version,
      epochFloor: this.#epoch,
      isStolen,
      pace: this.#pace,
      kinds,
      files: this.files.entries(),
    };
    worker.postMessage(own, [trunk.port2]);
    await this.#over;
    clearInterval(starting);
    worker.terminate();
    this.#worker = undefined;
    this.#letGo = () => {};
    if (this.#ownerTab === this.id) {
      this.#port.detach();
      this.#startBeating();
    }
  }

  /** So that nobody takes this tab for frozen while its worker is loaded, nor waits for a worker that never is. */
  #sayStarting(giveUp: () => void): ReturnType<typeof setInterval> {
    this.#signAt = Date.now();
    return setInterval(() => {
      if (Date.now() - this.#signAt > this.#pace.ownerlessMs) giveUp();
      else this.#cry({ say: "starting", tab: this.id });
    }, this.#pace.beatMs);
  }

  /** The broker first, so that whoever hears of the owner can be linked to it. */
  async #announce(epoch: number, trunk: MessagePort): Promise<void> {
    this.#failure = undefined;
    this.#failures = 0;
    await this.#broker.offer(epoch, trunk);
    this.#tell({ tabs: "announce" });
  }

  #tell(word: ToHost, ports: MessagePort[] = []): void {
    this.#worker?.postMessage(word, ports);
  }

  // What is heard on the channel

  #hear(cry: Cry): void {
    this.files.hear(cry);
    if (cry.say === "owner") this.#hearOwner(cry);
    else if (cry.say === "starting") this.#hearSign(cry.tab);
    else if (cry.say === "step-down" && compareVersions(cry.version, this.#version) > 0) this.#standBack(cry.version, false);
  }

  #hearOwner({ epoch, version, tab }: Extract<Cry, { say: "owner" }>): void {
    const order = compareVersions(version, this.#version);
    if (order > 0) return this.#standBack(version, true);
    if (this.#isOut) return;
    if (order < 0) return this.#cry({ say: "step-down", version: this.#version });
    if (epoch < this.#epoch) return;
    this.#hearSign(tab);
    if (epoch > this.#epoch && tab !== this.id) this.#letGo();
    if (epoch === this.#epoch && (this.#port.isLinked || this.#linkingTo === epoch)) return;
    this.#epoch = epoch;
    void this.#link(epoch, tab);
  }

  /** There is an owner, or will be. One that is linked has to say so itself. */
  #hearSign(tab: string): void {
    if (tab === this.id) this.#signAt = Date.now();
    this.#heard += 1;
    if (!this.#port.isLinked) this.#watch.heard();
  }

  /** For a newer page: no more requests, no more elections. */
  #standBack(version: string, isFinal: boolean): void {
    const error = new ArchiveError("tabs/outdated", `A newer version (${version}) is open in another tab. Reload this page.`);
    this.#port.refuse(error, isFinal);
    if (isFinal) this.#stopBeating();
    if (this.#isOut) return;
    this.#isOut = true;
    this.#leaving.abort();
    // The owner has its grace, then nothing answers any more.
    if (!isFinal) setTimeout(() => this.#standBack(version, true), this.#pace.graceMs * 2);
    this.#options.onOutdated?.(version);
  }

  // The way to the owner

  async #link(epoch: number, tab: string): Promise<void> {
    const attempt = ++this.#attempt;
    this.#linkingTo = epoch;
    for (const way of [() => this.#direct(epoch, tab), () => this.#relayed(epoch)]) {
      const wire = await way();
      if (!wire) continue;
      const isWelcome = await this.#welcome(wire, epoch);
      if (attempt !== this.#attempt || !isWelcome || this.#isOut) {
        wire.close();
        if (attempt !== this.#attempt) return;
        continue;
      }
      this.#linkingTo = 0;
      this.#ownerTab = tab;
      this.#watch.heard();
      const gone = new ArchiveError("tabs/owner-gone", "The tab that was working on this is gone. It is not known whether it was done.");
      this.#port.attach(wire, gone);
      this.#options.onOwner?.({ epoch, isHere: tab === this.id });
      return;
    }
    this.#linkingTo = 0;
  }

  async #direct(epoch: number, tab: string): Promise<Wire | undefined> {
    if (tab !== this.id) {
      const port = await this.#broker.link(this.id, epoch);
      return port && portWire(port);
    }
    const { port1, port2 } = new MessageChannel();
    this.#tell({ tabs: "link", tab: this.id }, [port2]);
    return portWire(port1);
  }

  async #relayed(epoch: number): Promise<Wire> {
    const wire = relayWire(this.#channel, this.id, OWNER, epoch);
    this.#cry({ say: "relay-open", tab: this.id, epoch });
    return wire;
  }

  #welcome(wire: Wire, epoch: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), this.#pace.linkMs);
      wire.onmessage = (message): void => {
        if (!isWireWord(message) || message.tabs !== "welcome" || message.epoch !== epoch) return;
        clearTimeout(timer);
        this.files.take(message.files);
        resolve(true);
      };
    });
  }

  // Owners that say nothing

  #startBeating(): void {
    if (this.#beating !== undefined || this.#living.signal.aborted) return;
    this.#watch.beat(performance.now());
    this.#beating = setInterval(() => this.#beat(), this.#pace.beatMs);
  }

  #stopBeating(): void {
    clearInterval(this.#beating);
    this.#beating = undefined;
    this.#watch.rest();
  }

  #beat(): void {
    if (this.#port.isLinked) {
      if (this.#port.waiting === 0) return this.#stopBeating();
      this.#port.ping();
    } else {
      this.#cry({ say: "who" });
      const none = this.#failure ?? new ArchiveError("tabs/no-owner", "No tab could open the collection. Close its other tabs and reload this one.");
      this.#port.failOlder(Date.now() - this.#pace.ownerlessMs, none);
    }
    if (this.#watch.beat(performance.now())) void this.#suspect();
  }

  async #suspect(): Promise<void> {
    if (this.#isOut || this.#isStealing) return;
    if (this.#worker) {
      // Our own hangs: whoever is next in the queue may try. One that has not begun has its own patience.
      if (this.#ownerTab === this.id && this.#port.isLinked) this.#letGo();
      return;
    }
    this.#isStealing = true;
    const options = this.#stealTurns >= STEAL_TURNS ? { steal: true } : { ifAvailable: true };
    try {
      await navigator.locks.request(stealLock(this.#options.name), options, async (lock) => {
        this.#stealTurns = lock ? 0 : this.#stealTurns + 1;
        if (lock && !(await this.#isThere())) await this.#steal();
      });
    } catch (error) {
      if (!isAbort(error)) throw error;
    } finally {
      this.#isStealing = false;
    }
  }

  /** One last call: another tab may just have stolen the lock, and be in our queue of messages. */
  async #isThere(): Promise<boolean> {
    const heard = this.#heard;
    this.#port.detach();
    this.#cry({ say: "who" });
    await pause(this.#pace.beatMs);
    return this.#heard !== heard || this.#isOut;
  }

  /** Resolves when the new owner is known, or there is none. */
  async #steal(): Promise<void> {
    this.#leaving.abort();
    const epoch = this.#epoch;
    void this.#hold({ steal: true }, true);
    const patience = performance.now() + this.#pace.ownerlessMs;
    while (this.#epoch === epoch && !this.#isOut && performance.now() < patience) {
      await pause(this.#pace.beatMs / 4);
      if (this.#failure && !this.#worker) return;
    }
  }

  #cry(cry: Cry): void {
    this.#channel.postMessage(cry);
  }
}

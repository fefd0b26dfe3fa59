/** The tree of hosts: levels that are read when they are opened, and where the records of a host begin in the order of URLs. */
import type { Group, SharedIndex } from "stackroom/library";

export interface HostNode {
  readonly group: Group;
  readonly level: number;
  readonly parent?: HostNode | undefined;
  /** Where its records begin, at the highest level, where groups follow each other from the beginning. */
  readonly from?: number | undefined;
  isOpen: boolean;
  children?: HostNode[] | undefined;
  /** There are more children than are known. */
  hasMore: boolean;
}

const groupsAtOnce = 200;
const encoder = new TextEncoder();

export class HostTree {
  readonly #index: SharedIndex;
  roots: HostNode[] = [];
  hasMore = false;

  constructor(index: SharedIndex) {
    this.#index = index;
  }

  /** Reads the highest level, and below it as long as there is one way to go. */
  async load(): Promise<void> {
    await this.more(undefined);
    for (let ways = this.roots; ; ) {
      const [only, ...others] = ways.filter(({ group }) => !group.isLeaf);
      if (only === undefined || others.length > 0) return;
      await this.open(only);
      ways = only.children ?? [];
    }
  }

  async open(node: HostNode): Promise<void> {
    node.isOpen = true;
    if (node.children === undefined) await this.more(node);
  }

  /** Reads on in the level below a host, or in the highest. */
  async more(parent: HostNode | undefined): Promise<void> {
    const known = parent === undefined ? this.roots : (parent.children ?? []);
    const last = known.at(-1);
    const groups = await this.#index.hosts(parent?.group.name ?? "", { count: groupsAtOnce, after: last?.group.behind });
    let from = parent === undefined ? (last?.from ?? 0) + (last?.group.records ?? 0) : undefined;
    for (const group of groups) {
      known.push({ group, level: (parent?.level ?? 0) + 1, parent, from, isOpen: false, hasMore: false });
      if (from !== undefined) from += group.records;
    }
    const hasMore = groups.length === groupsAtOnce;
    if (parent === undefined) this.hasMore = hasMore;
    else {
      parent.children = known;
      parent.hasMore = hasMore;
    }
  }

  /** Where the records of a host begin: what is left of its highest level from there on says it. */
  async start(node: HostNode): Promise<number> {
    if (node.from !== undefined) return node.from;
    let root = node;
    while (root.parent !== undefined) root = root.parent;
    const [rest] = await this.#index.hosts("", { count: 1, after: encoder.encode(`${node.group.name})`) });
    if (rest?.name !== root.group.name) throw new Error("The index has no such host.");
    return (root.from ?? 0) + root.group.records - rest.records;
  }

  /** The nodes that are to be seen, in their order. */
  get shown(): HostNode[] {
    const shown: HostNode[] = [];
    const visit = (nodes: readonly HostNode[]): void => {
      for (const node of nodes) {
        shown.push(node);
        if (node.isOpen) visit(node.children ?? []);
      }
    };
    visit(this.roots);
    return shown;
  }
}

/** The key of records without a URL. */
const none = "-";

/** `www.example.org` for `org,example,www`; schemes and ports as they are; empty where there is no URL. */
export function hostName(name: string): string {
  return name === none ? "" : name.split(",").reverse().join(".");
}

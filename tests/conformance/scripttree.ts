/** What must be edited in a script, told by a tree of it and scopes that others have found: the same answers as the engine's, made otherwise. */
import { type Options, parse, tokenizer } from "acorn";
import { analyze } from "eslint-scope";

export type SourceType = "script" | "module";

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  /** What ends there, what begins there, what is replaced. */
  readonly rank: 0 | 1 | 2;
  /** Where what begins here ends: the longer one is around the shorter. */
  readonly reach: number;
  readonly text: string;
}

interface Scope {
  readonly type: string;
  readonly isStrict: boolean;
  readonly references: readonly { readonly identifier: Node; readonly resolved: unknown }[];
  readonly variables: readonly { readonly name: string; readonly defs: readonly { readonly type: string; readonly name: Node; readonly parent?: Node }[] }[];
  readonly block: Node;
  readonly upper: Scope | null;
  readonly childScopes: readonly Scope[];
}

const WINDOWS = new Set(["window", "self", "parent", "frames", "opener", "globalThis", "defaultView", "contentWindow", "top"]);
const NO_WINDOWS = new Set(["Literal", "TemplateLiteral", "ArrayExpression", "ObjectExpression", "ArrayPattern", "ObjectPattern", "FunctionExpression", "ClassExpression", "MetaProperty", "Super", "ArrowFunctionExpression", "YieldExpression"]);
const NEW_NAMES = new Map([["location", "__wa$loc"], ["top", "__wa$top"], ["eval", "__wa$eval"]]);

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && typeof (value as Node).type === "string";

const children = (node: Node): Node[] =>
  Object.entries(node).flatMap(([key, value]) => (key === "parent" ? [] : Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []));

function nameOf(node: Node, isComputed: boolean): string | undefined {
  if (!isComputed) return node.type === "Identifier" ? (node["name"] as string) : typeof node["value"] === "string" ? node["value"] : undefined;
  if (node.type === "Literal" && typeof node["value"] === "string") return node["value"];
  const quasis = node["quasis"] as { value: { cooked: string } }[] | undefined;
  return node.type === "TemplateLiteral" && quasis?.length === 1 ? quasis[0]?.value.cooked : undefined;
}

const isAccess = (node: Node): boolean => node.type === "MemberExpression" || node.type === "CallExpression";
const innerOf = (node: Node): Node => (node["object"] ?? node["callee"]) as Node;

function isInOptionalChain(node: Node): boolean {
  for (let inner = node; isAccess(inner); inner = innerOf(inner)) if (inner["optional"] === true) return true;
  return false;
}

function options(sourceType: SourceType): Options {
  return { ecmaVersion: "latest", sourceType, preserveParens: true, ranges: true, allowHashBang: true, allowReturnOutsideFunction: true, allowSuperOutsideMethod: true };
}

/** Throws where this is none. */
export const treeOf = (source: string, sourceType: SourceType): Node => parse(source, options(sourceType)) as unknown as Node;

class Editor {
  readonly edits: Edit[] = [];

  constructor(
    readonly source: string,
    readonly sourceType: SourceType,
    readonly map: (url: string) => string | undefined,
  ) {}

  wrap({ start, end }: { start: number; end: number }, text: string): void {
    this.edits.push({ start, end: start, rank: 1, reach: end, text }, { start: end, end, rank: 0, reach: end, text: ")" });
  }

  replace(start: number, end: number, text: string): void {
    this.edits.push({ start, end, rank: 2, reach: end, text });
  }

  /** The mark between an object and its property. */
  markAfter(place: number): number {
    const tokens = tokenizer(this.source.slice(place, place + 100_000), options(this.sourceType));
    return place + tokens.getToken().start;
  }

  isWindow(node: Node, isMethod: boolean): boolean {
    if (node.type === "Identifier") return WINDOWS.has(node["name"] as string);
    if (node.type === "ThisExpression") return !isMethod;
    return node.type === "MemberExpression" && WINDOWS.has(nameOf(node["property"] as Node, node["computed"] === true) ?? "");
  }

  /** Whether a call was put around what is asked. */
  member(node: Node, isMethod: boolean, isCalled: boolean): boolean {
    const object = node["object"] as Node;
    const name = nameOf(node["property"] as Node, node["computed"] === true);
    if (NO_WINDOWS.has(object.type)) return false;
    const text = name === "location" || ((name === "top" || name === "eval") && this.isWindow(object, isMethod)) ? "__wa$L(" : name === "postMessage" && isCalled ? "__wa$P(" : undefined;
    if (text === undefined) return false;
    this.wrap(object, text);
    if (node["optional"] !== true && isInOptionalChain(object)) {
      const mark = this.markAfter(object.end);
      this.replace(mark, mark, node["computed"] === true ? "?." : "?");
    }
    return true;
  }

  takenApart(pattern: Node, value: Node, isMethod: boolean): void {
    if (pattern.type !== "ObjectPattern" || NO_WINDOWS.has(value.type)) return;
    const keys = (pattern["properties"] as Node[]).map(({ key, computed }) => (isNode(key) && computed !== true ? nameOf(key, false) : undefined));
    if (keys.includes("location") || (keys.includes("top") && this.isWindow(value, isMethod))) this.wrap(value, "__wa$L(");
  }

  specifier(node: Node): void {
    const mapped = this.map(node["value"] as string);
    if (mapped !== undefined) this.replace(node.start + 1, node.end - 1, mapped);
  }

  /** `isMethod`: `this` is no window. `wrapped`: members that calls were put around, by the caller's wish. */
  visit(node: Node, isMethod: boolean, wrapped: Set<Node>): void {
    const inside = (child: Node): boolean => {
      if (node.type === "MethodDefinition") return child === node["value"] || isMethod;
      if (node.type === "PropertyDefinition") return child === node["value"] || isMethod;
      if (node.type === "StaticBlock") return true;
      if (node.type === "Property") return (child === node["value"] && (node["method"] === true || node["kind"] !== "init")) || isMethod;
      return isMethod;
    };
    const isPlainFunction = node.type === "FunctionDeclaration" || node.type === "FunctionExpression";
    switch (node.type) {
      case "CallExpression": {
        const callee = node["callee"] as Node;
        if (callee.type === "MemberExpression" && nameOf(callee["property"] as Node, callee["computed"] === true) === "postMessage") this.member(callee, isMethod, true);
        break;
      }
      case "MemberExpression":
        if (this.member(node, isMethod, false)) wrapped.add(node);
        break;
      case "NewExpression": {
        const before = new Set(wrapped);
        this.visit(node["callee"] as Node, isMethod, wrapped);
        let hasCalls = false;
        for (let inner = node["callee"] as Node; inner.type === "MemberExpression" || inner.type === "TaggedTemplateExpression"; inner = (inner["object"] ?? inner["tag"]) as Node) {
          if (wrapped.has(inner) && !before.has(inner)) hasCalls = true;
        }
        if (hasCalls) this.wrap(node["callee"] as Node, "(");
        for (const argument of node["arguments"] as Node[]) this.visit(argument, isMethod, wrapped);
        return;
      }
      case "ImportExpression":
        this.wrap(node["source"] as Node, "__wa$import(");
        break;
      case "ImportDeclaration":
      case "ExportNamedDeclaration":
      case "ExportAllDeclaration":
        if (isNode(node["source"])) this.specifier(node["source"]);
        break;
      case "VariableDeclarator":
        if (isNode(node["init"])) this.takenApart(node["id"] as Node, node["init"], isMethod);
        break;
      case "AssignmentExpression":
      case "AssignmentPattern":
        this.takenApart(node["left"] as Node, node["right"] as Node, isMethod);
        break;
    }
    for (const child of children(node)) {
      const isOwn = isPlainFunction && !this.#methods.has(node) ? false : inside(child);
      if ((node.type === "MethodDefinition" || node.type === "Property") && child === node["value"] && inside(child)) this.#methods.add(child);
      this.visit(child, isOwn, wrapped);
    }
  }

  readonly #methods = new Set<Node>();

  apply(): string {
    const edits = this.edits.toSorted((a, b) => a.start - b.start || a.rank - b.rank || b.reach - a.reach || a.text.length - b.text.length);
    let out = "";
    let at = 0;
    for (const { start, end, text } of edits) {
      out += this.source.slice(at, start);
      if (/[\w$\u0080-\uffff]$/.test(out) && /^[\w$]/.test(text)) out += " ";
      out += text;
      at = end;
    }
    return out + this.source.slice(at);
  }
}

function parentsOf(tree: Node): Map<Node, Node> {
  const parents = new Map<Node, Node>();
  const waiting = [tree];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    for (const child of children(node)) {
      parents.set(child, node);
      waiting.push(child);
    }
  }
  return parents;
}

const isFunction = (node: Node): boolean => /Function/.test(node.type) || node.type === "StaticBlock";

/** A declaration between a block and the function around it keeps what the block declares. */
function isHidden(scope: Scope | null, name: string): boolean {
  for (let around = scope; around && !/function|static|global|module/.test(around.type); around = around.upper) {
    const isCaught = around.type === "catch" && (around.block["param"] as Node).type === "Identifier";
    if (!isCaught && around.variables.some((variable) => variable.name === name && variable.defs.length > 0)) return true;
  }
  return false;
}

function isStrict(node: Node, parents: Map<Node, Node>): boolean {
  for (let around = parents.get(node); around; around = parents.get(around)) {
    if (/^Class/.test(around.type)) return true;
    const body = around.type === "Program" ? around["body"] : isNode(around["body"]) && isFunction(around) ? around["body"]["body"] : undefined;
    if (Array.isArray(body) && (body as Node[]).some(({ directive }) => directive === "use strict")) return true;
  }
  return false;
}

/** Whether a scope around a reference has a variable of that name, as its place would find it. */
function isDeclared(name: string, place: Node, from: Scope, isScript: boolean, globals: ReadonlySet<string>): boolean {
  for (let scope: Scope | null = from; scope; scope = scope.upper) {
    const defs = scope.variables.find((variable) => variable.name === name)?.defs ?? [];
    if (defs.length === 0) continue;
    if (scope.type === "global" && isScript) return globals.has(name);
    // Parameters do not see what the body declares.
    const body = scope.type === "function" ? (scope.block["body"] as Node | undefined) : undefined;
    if (body && place.start < body.start && defs.every((def) => def.name.start >= body.start)) continue;
    return true;
  }
  return false;
}

/** Free references, the variables that are the window's, and calls of `eval` whose text finds no other `location` or `top` around it. */
function free(tree: Node, sourceType: SourceType): { names: Node[]; runs: Node[] } {
  const manager = analyze(tree as never, { ecmaVersion: 2022, sourceType, ignoreEval: true, fallback: (node: unknown) => Object.keys(node as object) } as never);
  const scopes = manager.scopes as unknown as Scope[];
  const parents = parentsOf(tree);
  const found = new Set<Node>();
  /** Functions in blocks, which old rules put into the function around, too: that function and the name. */
  const hoisted: [Node, string][] = [];
  const globals = new Set<string>();
  const runs: Node[] = [];
  for (const scope of scopes) {
    for (const { name, defs } of scope.variables) {
      if (!NEW_NAMES.has(name)) continue;
      for (const def of defs) {
        if (scope.type === "global" && sourceType === "script") {
          if (def.type === "Variable" && def.parent?.["kind"] === "var") found.add(def.name);
          else globals.add(name);
        }
        if (def.type === "FunctionName" && (scope.type === "block" || scope.type === "switch") && !scope.isStrict) {
          let around: Node | undefined = parents.get(scope.block);
          while (around && !isFunction(around)) around = parents.get(around);
          if (around && !isHidden(scope.upper, name)) hoisted.push([around, name]);
        }
      }
    }
  }
  for (const scope of scopes) {
    for (const { identifier, resolved } of scope.references) {
      const name = identifier["name"] as string;
      const variable = resolved as Scope["variables"][number] | null;
      const call = parents.get(identifier);
      if (name === "eval" && call?.type === "CallExpression" && call["callee"] === identifier && call["optional"] !== true) {
        const hides = (hidden: string): boolean => isDeclared(hidden, identifier, scope, sourceType === "script", globals) || isOut(identifier, hidden);
        if (sourceType === "script" && !isStrict(call, parents) && ![...NEW_NAMES.keys()].some(hides)) runs.push(call);
        continue;
      }
      const isOfWindow = sourceType === "script" && !globals.has(name) && variable?.defs.every(({ name }) => found.has(name));
      if (NEW_NAMES.has(name) && (variable === null || isOfWindow)) found.add(identifier);
    }
  }
  return { names: [...found].filter((node) => !globals.has(node["name"] as string) && !isOut(node, node["name"] as string)), runs };

  function isOut(node: Node, name: string): boolean {
    for (let child = node, around = parents.get(node); around; child = around, around = parents.get(around)) {
      if (around.type === "WithStatement" && child === around["body"]) return true;
      if (around.type === "ExportSpecifier" || around.type === "ImportSpecifier") return true;
      if (hoisted.some(([holder, hidden]) => holder === around && hidden === name)) return true;
    }
    return false;
  }
}

/** The script with all edits. Throws where it is none. */
export function editedByTree(source: string, sourceType: SourceType, map: (url: string) => string | undefined): string {
  const tree = treeOf(source, sourceType);
  const editor = new Editor(source, sourceType, map);
  editor.visit(tree, false, new Set());
  const parents = parentsOf(tree);
  const { names, runs } = free(tree, sourceType);
  for (const { callee, end } of runs) {
    const start = editor.markAfter((callee as Node).end) + 1;
    if (start < end - 1) editor.wrap({ start, end: end - 1 }, "__wa$E(");
  }
  for (const node of names) {
    const name = node["name"] as string;
    let property = parents.get(node);
    if (property?.type === "AssignmentPattern" && property["left"] === node) property = parents.get(property);
    const isShorthand = property?.type === "Property" && property["shorthand"] === true && (property["key"] as Node).start === node.start;
    editor.replace(node.start, node.end, isShorthand ? `${name}:${NEW_NAMES.get(name)}` : NEW_NAMES.get(name) ?? name);
  }
  return editor.apply();
}

import { type EventType, load, type State } from 'js-yaml';
import { createLoadOptions } from './parse-document.js';

/** Returns the line of a path such as `spec.ports[0].number`, from 1. If the path does not exist, that of its longest existing part. */
export type LineLocator = (path: string) => number;

interface YamlNode {
  readonly line: number;
  children: YamlNode[];
  value: unknown;
}

/**
 * Makes a locator for a valid document. Make it only for an error message: the first call parses the document again and
 * records the line of every value.
 */
export function createLineLocator(text: string): LineLocator {
  let root: YamlNode | undefined;
  return (path) => {
    root ??= parseWithLines(text);
    let node = root;
    let line = root.line;
    for (const step of stepsOf(path)) {
      const found = typeof step === 'number' ? itemOf(node, step) : fieldOf(node, step);
      if (found === undefined) break;
      node = found.node;
      line = found.line;
    }
    return line;
  };
}

function parseWithLines(text: string): YamlNode {
  const top: YamlNode = { line: 0, children: [], value: undefined };
  const open: YamlNode[] = [top];
  const listener = (event: EventType, state: State): void => {
    if (event === 'open') {
      const node: YamlNode = { line: state.line + 1, children: [], value: undefined };
      open.at(-1)?.children.push(node);
      open.push(node);
    } else if (open.length > 1) {
      const node = open.pop();
      if (node !== undefined) close(node, state.result);
    }
  };
  load(text, { ...createLoadOptions(), listener: listener as (event: EventType, state: State) => void });
  return top.children[0] ?? top;
}

/** The parser opens a node twice if it may be the key of a mapping. Such a pair counts as one node. */
function close(node: YamlNode, value: unknown): void {
  node.value = value;
  const [only, second] = node.children;
  if (only !== undefined && second === undefined && only.value === value) node.children = only.children;
}

/** The children of a mapping are alternately keys and values. */
function fieldOf(node: YamlNode, name: string): { readonly node: YamlNode; readonly line: number } | undefined {
  const at = node.children.findIndex((child, index) => index % 2 === 0 && String(child.value) === name);
  const key = node.children[at];
  return key === undefined ? undefined : { node: node.children[at + 1] ?? key, line: key.line };
}

function itemOf(node: YamlNode, index: number): { readonly node: YamlNode; readonly line: number } | undefined {
  const item = node.children[index];
  return item === undefined ? undefined : { node: item, line: item.line };
}

function stepsOf(path: string): readonly (string | number)[] {
  const step = /\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|\[([^"\]][^\]]*)\]|([^.[\]]+)/g;
  return [...path.matchAll(step)].map(([, index, quoted, key, field]) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? (key ?? field ?? '') : String(JSON.parse(quoted));
  });
}

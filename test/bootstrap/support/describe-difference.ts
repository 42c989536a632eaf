import { createMessageJson } from '../../../src/envoy/message-json.js';
import { loadProtoRegistry } from '../../../src/envoy/proto-registry.js';
import type { ProxyState } from './proxy-client.js';

const messageJson = createMessageJson(loadProtoRegistry());

/** What two proxies do not have in common, for error messages; undefined when they have the same. */
export function describeDifference(wanted: ProxyState, found: ProxyState): string | undefined {
  const lines: string[] = [];
  for (const [typeUrl, resources] of wanted) {
    const others = found.get(typeUrl) ?? new Map<string, Buffer>();
    for (const name of new Set([...resources.keys(), ...others.keys()])) {
      const [first, second] = [resources.get(name), others.get(name)];
      if (first !== undefined && second !== undefined && first.equals(second)) continue;
      const show = (bytes: Buffer | undefined): string =>
        bytes === undefined ? 'absent' : JSON.stringify(messageJson.bytesToJson(typeUrl, bytes));
      lines.push(`${name}\n  wanted: ${show(first)}\n  found:  ${show(second)}`);
    }
  }
  return lines.length === 0 ? undefined : lines.join('\n');
}

import { keyOf, type MeshObject } from '../../../../config/object.js';
import { type AnalysisMessage, createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import type { VirtualServicePart } from '../../traffic/traffic-specs.js';

/** Expressions of routes that no request matches. Expressions that do not compile are rejected by validation. */
export const unmatchedRegexes: ObjectAnalyzer = {
  kinds: ['VirtualService'],
  find: (object) => [...messagesAbout(object)],
};

function* messagesAbout(object: MeshObject): Iterable<AnalysisMessage> {
  for (const [index, { match = [] }] of ((object.body as VirtualServicePart).http ?? []).entries()) {
    for (const [at, { uri, method }] of match.entries()) {
      const path = `spec.http[${index}].match[${at}]`;
      // The expression has to match the whole path, so a literal at its beginning must be the slash.
      if (uri?.regex !== undefined && /^\^?[\w-]/.test(uri.regex) && !uri.regex.includes('|')) {
        yield unmatched(object, `${path}.uri.regex`, uri.regex, 'every path begins with a slash');
      }
      if (method?.regex !== undefined && /^[a-z]+$/.test(method.regex)) {
        yield unmatched(object, `${path}.method.regex`, method.regex, 'methods are in upper case');
      }
    }
  }
}

function unmatched(object: MeshObject, field: string, regex: string, why: string): AnalysisMessage {
  const shown = JSON.stringify(regex.length > 80 ? `${regex.slice(0, 80)}…` : regex);
  return createMessage('badRegex', { object: keyOf(object), field }, `${shown} matches no request: ${why}`);
}

import type { MeshObject } from '../../../src/config/object.js';
import type { PushContext } from '../../../src/model/push-context.js';
import { analysisInputOf, type Enforcement } from '../../../src/status/analysis/analysis-input.js';
import type { AnalysisMessage } from '../../../src/status/analysis/analysis-message.js';
import { ANALYZERS, analyze } from '../../../src/status/analysis/analyze.js';
import { readObject } from '../../config/support/read-yaml.js';
import { contextOf } from '../../model/mesh-objects.js';

/** Reads `Kind namespace/name {spec}`: one object a line. */
export function policyObjects(text: string): readonly MeshObject[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map(policyObject);
}

const GROUPS: Readonly<Record<string, string>> = {
  ServiceEntry: 'networking.mesh.internal/v1beta1',
  AuthorizationPolicy: 'security.mesh.internal/v1beta1',
};

export function policyObject(line: string): MeshObject {
  const [, kind = '', namespace = '', name = '', spec = ''] = /^(\w+) ([\w-]+)\/([\w-]+) (.*)$/.exec(line) ?? [];
  const group = GROUPS[kind] ?? 'config.mesh.internal/v1alpha2';
  return readObject(
    `{apiVersion: ${group}, kind: ${kind}, metadata: {name: ${name}, namespace: ${namespace}}, spec: ${spec}}`,
  );
}

export function policyContext(text: string): PushContext {
  return contextOf(policyObjects(text));
}

/** The plugin is on, and another server limits quotas. */
export const ENFORCEMENT: Enforcement = { isPluginOn: true, limitedQuotas: undefined };

/** Messages of one analyzer, or of all, one a line: `code object field: message`. */
export function messagesOf(text: string, analyzer?: string): readonly string[] {
  const analyzers = analyzer === undefined ? ANALYZERS : only(analyzer);
  return analyze(analysisInputOf(policyContext(text), ENFORCEMENT), analyzers).map(shown);
}

export function shown({ code, object, field, message }: AnalysisMessage): string {
  return [code, object, field]
    .filter((part) => part !== undefined)
    .join(' ')
    .concat(': ', message);
}

function only(name: string): typeof ANALYZERS {
  const analyzer = ANALYZERS[name];
  if (analyzer === undefined) throw new Error(`there is no analyzer ${name}`);
  return { [name]: analyzer };
}

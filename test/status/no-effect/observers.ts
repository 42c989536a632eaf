import type { ExecutionContext } from 'ava';
import type { MeshObject } from '../../../src/config/object.js';
import { objectKey } from '../../../src/config/object.js';
import { formatViolation } from '../../../src/config/violation.js';
import {
  type ApiKeySecret,
  type ApiKeySecrets,
  apiKeySecretName,
} from '../../../src/model/policy/plans/api-key-secrets.js';
import { analysisInputOf, type Enforcement } from '../../../src/status/analysis/analysis-input.js';
import type { AnalysisMessage } from '../../../src/status/analysis/analysis-message.js';
import { analyze } from '../../../src/status/analysis/analyze.js';
import { judgeObject } from '../../../src/status/conditions/object-status.js';
import { MESH } from '../../generators/context-builder.js';
import { batch, snapshot, storeWith } from '../../model/mesh-objects.js';
import { kinds } from '../../webhooks/fixtures/ask.js';
import { factsOf } from '../conditions/support.js';
import { type Manifest, SECRET, SECRET_ENTRY } from './base-mesh.js';
import { UNKNOWN } from './mutations.js';
import { serveReviews } from './review-server.js';

/** All messages about one object. */
export interface Told {
  /** Whether the object is rejected, so that its last good state stays in force. */
  readonly isRefused: boolean;
  /** Warnings of the webhook, or its error. */
  readonly admission: readonly string[];
  /** Messages of analysis, or the error of sources about a rejected object. */
  readonly analysis: readonly Pick<AnalysisMessage, 'code' | 'field' | 'message'>[];
  /** The messages of the object's conditions, if all proxies were up to date. */
  readonly status: readonly string[];
}

/** Checks and reports are on, and the policy server in the process decides. */
const POLICY = {
  ...MESH.policy,
  mixerCheckServer: 'embedded',
  mixerReportServer: 'embedded',
  disablePolicyChecks: false,
  disableMixerHttpReports: false,
  // Grants of namespaces have their own tests.
  policyBindingScope: 'ALL_NAMESPACES' as const,
};

/** One mesh of all objects with its webhook server, and the messages of the three places about each object. */
export async function startObservers(
  t: ExecutionContext,
  manifests: readonly Manifest[],
  enforcement: Enforcement,
): Promise<(manifest: Manifest) => Promise<Told>> {
  const problems = new Map<string, readonly string[]>();
  const objects: MeshObject[] = [];
  for (const manifest of manifests) {
    const read = kinds.read(manifest as unknown as Readonly<Record<string, unknown>>, { defaultNamespace: 'default' });
    if (read.type === 'object') objects.push(read.object);
    else if (read.type === 'invalid') {
      problems.set(
        keyOf(manifest),
        read.violations.map((violation) => formatViolation(read.subject, violation)),
      );
    } else throw new Error(`${manifest.kind} is not known`);
  }
  const store = storeWith({}, { mesh: { ...MESH, policy: POLICY } });
  store.apply(batch(...objects));
  const context = { ...snapshot(store), apiKeySecrets: secretsOf(manifests) };
  const messages = analyze(analysisInputOf(context, enforcement));
  const ask = await serveReviews(t, context, enforcement);

  return async (manifest) => {
    const key = keyOf(manifest);
    const refusals = problems.get(key) ?? [];
    const found = messages.filter(({ object }) => object === key);
    const facts = factsOf({ key, messages: found, refusals: refusals.map((reason) => ({ reason })) });
    return {
      isRefused: refusals.length > 0,
      admission: await ask(manifest),
      analysis: [...refusals.map((message) => ({ code: 'refused', message })), ...found],
      status: (judgeObject(facts) ?? []).map(({ message }) => message),
    };
  };
}

/** Each namespace with a Consumer has one Secret with keys, and not the one that mutations name. */
function secretsOf(manifests: readonly Manifest[]): ApiKeySecrets {
  const namespaces = manifests.filter(({ kind }) => kind === 'Consumer').map(({ metadata }) => metadata.namespace);
  const keys: ApiKeySecret = { type: 'keys', entries: new Map([[SECRET_ENTRY, ['b'.repeat(64)]]]) };
  const missing: ApiKeySecret = { type: 'unusable', reason: 'it does not exist' };
  return new Map<string, ApiKeySecret>(
    namespaces.flatMap((namespace) => [
      [apiKeySecretName(namespace, SECRET), keys] as const,
      [apiKeySecretName(namespace, UNKNOWN), missing] as const,
    ]),
  );
}

function keyOf({ kind, metadata: { namespace, name } }: Manifest): string {
  return objectKey(kind, namespace, name);
}

import { X509Certificate } from 'node:crypto';
import { isRecord } from '../../base/record.js';
import { type ApiAnswer, refusalText } from '../../kubernetes/client/api-sender.js';
import type { CheckedCluster } from './check-cluster.js';
import { type CheckResult, checkOf } from './check-result.js';

/** A kind of webhook configuration, and how each control plane names its entries there. */
interface WebhookKind {
  readonly plural: string;
  /** Followed by the mesh domain. */
  readonly entry: string;
  /** The effect of the absence of the configuration of the installation without a revision. */
  readonly absence: string;
}

export const VALIDATING: WebhookKind = {
  plural: 'validatingwebhookconfigurations',
  entry: 'validation',
  absence: 'only schemas validate objects without the label of a revision',
};
export const MUTATING: WebhookKind = {
  plural: 'mutatingwebhookconfigurations',
  entry: 'sidecar-injector',
  absence: 'only pods with the label of a revision get a sidecar',
};

type Fields = Readonly<Record<string, unknown>>;

interface Configuration {
  readonly name: string;
  readonly entries: readonly Fields[];
}

/**
 * Checks whether API servers can verify the webhooks of every revision in the namespace of the control plane.
 *
 * @param needed name of a configuration whose absence is a problem
 */
export async function checkWebhooks(
  cluster: CheckedCluster,
  kind: WebhookKind,
  needed: string,
  now: Date,
): Promise<readonly CheckResult[]> {
  const configurations = await readConfigurations(cluster, kind, needed);
  const { ok, warning, error } = checkOf('webhooks', cluster.name);
  const missing = configurations.some(({ name }) => name === needed)
    ? []
    : [warning(`${needed}: there is no such webhook configuration: ${kind.absence}`, 'kubectl apply -f manifests/')];
  const results = configurations.map(({ name, entries }) => {
    const bundles = entries.map((entry) => fieldsOf(entry['clientConfig'])['caBundle']);
    if (bundles.some((bundle) => typeof bundle !== 'string' || bundle === '')) {
      return error(
        `${name}: API servers cannot verify the control plane: caBundle is empty`,
        'the log of the control plane says why it does not write it',
      );
    }
    return bundles.some((bundle) => hasExpired(String(bundle), now))
      ? error(`${name}: the certificate in caBundle has expired`, 'see docs/certificates.md')
      : ok(`${name}: API servers can verify the control plane`);
  });
  return [...missing, ...results];
}

/** Those of all revisions; only the needed one for a user who may not list them. */
async function readConfigurations(
  { send, namespace, kinds }: CheckedCluster,
  { plural, entry }: WebhookKind,
  needed: string,
): Promise<readonly Configuration[]> {
  const path = `/apis/admissionregistration.k8s.io/v1/${plural}`;
  const list = await send({ method: 'GET', path });
  if (list.status === 403) {
    const answer = await send({ method: 'GET', path: `${path}/${encodeURIComponent(needed)}` });
    if (answer.status === 404) return [];
    return [configurationOf(bodyOf(answer))];
  }
  const items: unknown = bodyOf(list)['items'];
  const own = `${entry}.${kinds.meshDomain}`;
  const isOwn = (fields: Fields): boolean => {
    const name = String(fields['name']);
    const { service } = fieldsOf(fields['clientConfig']);
    return (name === own || name.endsWith(`.${own}`)) && (!isRecord(service) || service['namespace'] === namespace);
  };
  return (Array.isArray(items) ? items : [])
    .map((item) => configurationOf(fieldsOf(item)))
    .filter(({ name, entries }) => name === needed || entries.some(isOwn));
}

/** @throws Error with the refusal of the API server */
function bodyOf(answer: ApiAnswer): Fields {
  if (answer.status !== 200) throw new Error(refusalText(answer));
  return fieldsOf(answer.body);
}

function configurationOf({ metadata, webhooks }: Fields): Configuration {
  return {
    name: String(fieldsOf(metadata)['name']),
    entries: Array.isArray(webhooks) ? webhooks.filter(isRecord) : [],
  };
}

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

function hasExpired(bundle: string, now: Date): boolean {
  return new Date(new X509Certificate(Buffer.from(bundle, 'base64')).validTo) < now;
}

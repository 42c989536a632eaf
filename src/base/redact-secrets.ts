import { isRecord } from './record.js';

const REDACTED = '[redacted]';

/** Fields with secrets, in Envoy's messages and in Kubernetes objects, in camel case or snake case. */
const SECRET_FIELD =
  /^(?:private_?key|password|passphrase|secret|client_?secret|hmac_?secret|token|token_?secret|access_?token|api_?key|session_?ticket_?keys)$/i;

/** Headers whose values are credentials. Envoy represents a header as `{key, value}`, objects as `name: value`. */
const SECRET_HEADER = /^(?:authorization|proxy-authorization|cookie|set-cookie|x-api-key)$/i;

/** Fields that name the place of a secret. They stay visible. */
const POINTERS: ReadonlySet<string> = new Set(['filename', 'environmentVariable', '@type']);

/** A URL with a user or a password, which may have any character but those that end it. */
const URL_CREDENTIALS = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i;

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

type Fields = { readonly [key: string]: unknown };

/**
 * Replacer for JSON.stringify that hides secrets (docs/security.md#what-navigator-guarantees): values of secret fields,
 * data of Secret objects, and credentials in headers and URLs. Paths of secret files stay visible.
 */
export function redactSecrets(key: string, value: unknown): unknown {
  if (value === null || value === undefined || value === '' || typeof value === 'boolean') return value;
  if (SECRET_FIELD.test(key)) return hide(value);
  if (typeof value === 'string') {
    if (SECRET_HEADER.test(key)) return REDACTED;
    return value.includes('@') ? value.replace(URL_CREDENTIALS, `$1${REDACTED}@`) : value;
  }
  if (typeof value !== 'object' || Array.isArray(value)) return value;
  const fields = value as Fields;
  if (fields['kind'] === 'Secret') return redactSecretObject(fields);
  if (typeof fields['key'] === 'string' && SECRET_HEADER.test(fields['key'])) return redactHeader(fields);
  // Headers that the mesh sends to an endpoint: any of them can be the key of a collector.
  if (typeof fields['endpoint'] === 'string' && isRecord(fields['headers'])) {
    return { ...fields, headers: hide(fields['headers']) };
  }
  return value;
}

function redactHeader(fields: Fields): Fields {
  const hidden: Record<string, unknown> = { ...fields };
  for (const name of ['value', 'rawValue']) {
    if (hidden[name] !== undefined) hidden[name] = REDACTED;
  }
  return hidden;
}

function redactSecretObject(fields: Fields): Fields {
  const hidden: Record<string, unknown> = { ...fields };
  for (const name of ['data', 'stringData', 'spec', 'body']) {
    if (hidden[name] !== undefined) hidden[name] = hide(hidden[name]);
  }
  const metadata = hidden['metadata'] as Fields | undefined;
  const annotations = metadata?.['annotations'] as Fields | undefined;
  if (annotations?.[LAST_APPLIED] !== undefined) {
    hidden['metadata'] = { ...metadata, annotations: { ...annotations, [LAST_APPLIED]: REDACTED } };
  }
  return hidden;
}

function hide(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return REDACTED;
  if (Array.isArray(value)) return value.map(hide);
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, POINTERS.has(name) ? item : hide(item)]),
  );
}

import { isObjectName } from '../../config/primitives.js';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { encodeCredential, encodeCredentialRoots } from '../../envoy/secret.js';
import type { CredentialProblem, CredentialState, CredentialStore } from '../../model/gateways/credential.js';
import { type AskedCredential, parseCredentialSecret } from '../../model/gateways/credential-names.js';
import { createCredentialReaders } from '../../model/gateways/credential-readers.js';
import type { CredentialUser } from '../../model/gateways/credential-references.js';
import type { SubjectLog } from '../../telemetry/subject-log.js';

export interface ConnectionCredentialsOptions {
  /** Undefined where the control plane has no credentials. */
  readonly store: CredentialStore | undefined;
  readonly encoder: MessageEncoder;
  /**
   * Of the proven identity: a router gets credentials of its own namespace, and those of other namespaces that listeners of
   * the Gateway API have.
   */
  readonly namespace: string;
  /** Whether the proxy is a router: others have no credentials. */
  readonly isRouter: boolean;
  /** The fields of objects that make the proxy need the credential. */
  usersOfCredential(asked: AskedCredential): readonly CredentialUser[];
  /** Called when a credential may have changed. */
  onChange(): void;
  readonly log: SubjectLog;
  /** Called when a credential cannot be served, once until it can be or the reason changes. */
  onRefused(): void;
  /** Milliseconds since 1970. */
  nowMs(): number;
}

/** The credentials of one connection. They are encoded for this connection alone. */
export interface ConnectionCredentials {
  /** Undefined for other secrets; `missing` for a credential that cannot be served now. */
  resourceOf(secret: string): EncodedResource | 'missing' | undefined;
  /** The credentials that the proxy asked for and needs, and that are missing, malformed or expired now. */
  problems(): readonly CredentialProblem[];
  close(): void;
}

export function createConnectionCredentials(options: ConnectionCredentialsOptions): ConnectionCredentials {
  const { store, encoder, namespace, isRouter, usersOfCredential, onChange, log, onRefused, nowMs } = options;
  const encoded = new Map<string, { readonly state: CredentialState; readonly resource: EncodedResource }>();
  /** The reasons of credentials that are not served, by the names of secrets. */
  const refused = new Map<string, string>();
  /** The secrets that an object made the proxy need, by name. */
  const needed = new Map<string, AskedCredential>();
  const readers = store && createCredentialReaders(store, onChange);
  let isClosed = false;

  const refuse = (secret: string, reason: string): 'missing' => {
    if (refused.get(secret) !== reason) onRefused();
    refused.set(secret, reason);
    log.warn(`${namespace}/${secret}`, { namespace, secret, reason }, 'gateway credential cannot be used');
    return 'missing';
  };

  const encode = (secret: string, state: CredentialState): EncodedResource | undefined => {
    const known = encoded.get(secret);
    if (known?.state === state) return known.resource;
    const resource =
      state.type === 'certificate'
        ? encodeCredential(encoder, secret, state.chain, state.privateKey)
        : state.type === 'roots'
          ? encodeCredentialRoots(encoder, secret, state.roots)
          : undefined;
    if (resource === undefined) encoded.delete(secret);
    else encoded.set(secret, { state, resource });
    return resource;
  };

  const problemOf = (secret: string, asked: AskedCredential): string | undefined => {
    const { credentialName, part } = asked;
    const place = asked.namespace ?? namespace;
    const name = `the secret ${credentialName} of namespace ${place}`;
    const reason = refused.get(secret);
    if (reason !== undefined) return `${name} cannot be used: ${reason}`;
    const stale = readers?.opened(place)?.staleReasonOf(credentialName, part);
    if (stale !== undefined)
      return `${name} has changed and cannot be used, so its last content stays in force: ${stale}`;
    const state = encoded.get(secret)?.state;
    if (state?.type !== 'certificate' || state.expiresAtMs === undefined || state.expiresAtMs > nowMs())
      return undefined;
    return `the certificate in ${name} expired at ${new Date(state.expiresAtMs).toISOString()}, so clients reject it`;
  };

  return {
    problems: () =>
      [...needed].flatMap(([secret, asked]) => {
        const text = problemOf(secret, asked);
        return text === undefined ? [] : usersOfCredential(asked).map((user) => ({ ...user, text }));
      }),
    resourceOf: (secret) => {
      if (!isRouter) return undefined;
      const asked = parseCredentialSecret(secret);
      if (asked === undefined) return undefined;
      const { credentialName, part } = asked;
      const place = asked.namespace ?? namespace;
      if (isClosed || !isObjectName(credentialName) || !isObjectName(place)) return 'missing';
      if (usersOfCredential(asked).length === 0) {
        needed.delete(secret);
        return refuse(secret, 'no Gateway that selects the router names it, nor a DestinationRule');
      }
      needed.set(secret, asked);
      if (readers === undefined) return refuse(secret, 'the control plane has no credentials; see docs/gateways.md');
      const state = readers.of(place).read(credentialName, part);
      if (state.type === 'unusable') return refuse(secret, state.reason);
      if (state.type !== 'loading') refused.delete(secret);
      return encode(secret, state) ?? 'missing';
    },
    close: () => {
      isClosed = true;
      readers?.close();
      encoded.clear();
      refused.clear();
      needed.clear();
    },
  };
}

import { appendTo } from '../../../base/append-to.js';
import { keyOf, type MeshObject, type ObjectKey } from '../../../config/object.js';
import type { DerivationProblem } from '../derivation.js';
import type { HostRules, IngressParts } from './ingress-parts.js';

/** The rules that one Ingress has for a host. */
export interface HostShare {
  readonly ingress: MeshObject;
  readonly rules: HostRules;
}

/** The Ingresses that hosts belong to. */
export interface HostOwners {
  /** By host; the oldest Ingress first. All are of one namespace. */
  readonly shares: ReadonlyMap<string, readonly HostShare[]>;
  /** By host: the Ingress whose certificate port 443 presents. */
  readonly certificates: ReadonlyMap<string, HostCertificateOwner>;
  readonly problems: readonly DerivationProblem[];
}

export interface HostCertificateOwner {
  readonly ingress: MeshObject;
  readonly secret: string;
  readonly field: string;
}

/**
 * A host belongs to the namespace of the oldest Ingress that names it: no tenant takes requests, or the certificate, of a
 * host of another namespace. Within the namespace all Ingresses share it.
 *
 * @param all the oldest first
 */
export function findHostOwners(all: readonly IngressParts[]): HostOwners {
  const owners = new Map<string, MeshObject>();
  const shares = new Map<string, HostShare[]>();
  const certificates = new Map<string, HostCertificateOwner>();
  const problems: DerivationProblem[] = [];
  for (const { ingress, hosts, certificates: own } of all) {
    const object = keyOf(ingress);
    const mayHave = (host: string, field: string): boolean => {
      const owner = owners.get(host) ?? ingress;
      owners.set(host, owner);
      if (owner.metadata.namespace === ingress.metadata.namespace) return true;
      const text = `names ${shown(host)}, which ${nameOf(owner)} has: it is older and of another namespace`;
      problems.push({ type: 'conflict', object, field, text });
      return false;
    };
    for (const rules of hosts) if (mayHave(rules.host, rules.field)) appendTo(shares, rules.host, { ingress, rules });
    for (const { secret, hosts: named, field } of own) {
      for (const host of named) {
        if (!mayHave(host, `${field}.hosts`)) continue;
        const known = certificates.get(host);
        if (known === undefined) certificates.set(host, { ingress, secret, field });
        else if (known.secret !== secret) problems.push(otherCertificate(object, field, host, secret, known));
      }
    }
  }
  return { shares, certificates, problems };
}

function otherCertificate(
  object: ObjectKey,
  field: string,
  host: string,
  secret: string,
  known: HostCertificateOwner,
): DerivationProblem {
  const place = keyOf(known.ingress) === object ? known.field : nameOf(known.ingress);
  const text = `names secret ${secret} for ${shown(host)}, but ${place} comes first, with secret ${known.secret}`;
  return { type: 'conflict', object, field: `${field}.secretName`, text };
}

export function nameOf({ kind, metadata: { namespace, name } }: MeshObject): string {
  return `${kind} ${namespace}/${name}`;
}

export function shown(host: string): string {
  return host === '*' ? 'every host' : `host ${host}`;
}

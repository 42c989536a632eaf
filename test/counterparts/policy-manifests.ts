import type { Manifest } from './config-folder.js';

/** Default namespace: `default`. */
interface Named {
  readonly name: string;
  readonly namespace?: string;
}

/** Quotas that a rule charges. */
export interface Charge {
  readonly quota: string;
  readonly charge: number;
}

/** Conditions by attribute name, as `{ 'api.operation': { exact: 'read' } }`. */
export type Clause = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface Rule {
  /** Default: every request. */
  readonly match?: readonly Clause[];
  readonly quotas: readonly Charge[];
}

export interface ApiPattern {
  readonly httpMethod: string;
  readonly uriTemplate: string;
  /** Value of the attribute api.operation. */
  readonly operation: string;
}

export type ApiKey = { readonly query: string } | { readonly header: string };

/** A service by its name, of the same namespace; or by its host, which has dots. */
const serviceReference = (name: string): Manifest => (name.includes('.') ? { service: name } : { name });

function namedManifest(kind: string, { name, namespace = 'default' }: Named, spec: Manifest): Manifest {
  return { apiVersion: 'config.mesh.internal/v1alpha2', kind, metadata: { name, namespace }, spec };
}

/** An object of the group config.mesh.internal in the namespace `default`. */
export function policyManifest(kind: string, name: string, spec: Manifest): Manifest {
  return namedManifest(kind, { name }, spec);
}

/** A QuotaSpec of that name, and its binding to services: names of the same namespace, or hosts. */
export function boundQuotaSpec(
  named: Named,
  services: readonly string[],
  rules: readonly Rule[],
  enforcement?: 'exact' | 'fast',
): readonly Manifest[] {
  return [
    namedManifest('QuotaSpec', named, {
      ...(enforcement && { enforcement }),
      rules: rules.map(({ match, quotas }) => ({
        ...(match === undefined ? {} : { match: match.map((clause) => ({ clause })) }),
        quotas,
      })),
    }),
    namedManifest('QuotaSpecBinding', named, {
      services: services.map(serviceReference),
      quotaSpecs: [{ name: named.name }],
    }),
  ];
}

/**
 * An HTTPAPISpec of that name, and its binding to services: names of the same namespace, or hosts.
 * @param apiKeys default: none named, which means the default order.
 */
export function boundApiSpec(
  named: Named,
  services: readonly string[],
  patterns: readonly ApiPattern[],
  apiKeys?: readonly ApiKey[],
): readonly Manifest[] {
  return [
    namedManifest('HTTPAPISpec', named, {
      attributes: { attributes: { 'api.service': { stringValue: named.name } } },
      patterns: patterns.map(({ httpMethod, uriTemplate, operation }) => ({
        httpMethod,
        uriTemplate,
        attributes: { attributes: { 'api.operation': { stringValue: operation } } },
      })),
      ...(apiKeys === undefined ? {} : { apiKeys }),
    }),
    namedManifest('HTTPAPISpecBinding', named, {
      services: services.map(serviceReference),
      apiSpecs: [{ name: named.name }],
    }),
  ];
}

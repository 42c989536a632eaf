import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../base/record.js';
import type { ParentReference } from '../../config/gateway-api/http-route.js';
import {
  type CertificateUse,
  type ClassReport,
  condition,
  type GatewayReport,
  type ListenerReport,
  type ReportedCondition,
  type RouteReport,
} from '../../model/gateway-api/report.js';
import { nextApiConditions } from './api-condition.js';

/** What a status depends on beside the report. */
export interface StatusInputs {
  /** `status` of the object at the API server. */
  readonly present: Readonly<Record<string, unknown>>;
  /** The generation that was judged. */
  readonly generation: number;
  readonly now: Date;
}

/** The fields of `status` that the control plane writes. */
export type StatusFields = Readonly<Record<string, unknown>>;

export function classStatus(report: ClassReport, { present, generation, now }: StatusInputs): StatusFields {
  return {
    conditions: nextApiConditions(report.conditions, present['conditions'], generation, now),
    supportedFeatures: report.supportedFeatures.map((name) => ({ name })),
  };
}

/** @param certificateProblem why a Secret cannot be used; undefined where it can, or while it is being read */
export function gatewayStatus(
  report: GatewayReport,
  { present, generation, now }: StatusInputs,
  certificateProblem: (use: CertificateUse) => string | undefined,
): StatusFields {
  const known = Array.isArray(present['listeners']) ? present['listeners'].filter(isRecord) : [];
  const listeners = report.listeners.map((listener) => ({
    listener,
    conditions: listenerConditions(listener, certificateProblem),
  }));
  const isProgrammed = listeners.some(({ conditions }) =>
    conditions.some(({ type, status }) => type === 'Programmed' && status),
  );
  const conditions = report.conditions.map((each) =>
    each.type === 'Programmed' && each.status && !isProgrammed
      ? condition('Programmed', false, 'Invalid', 'no listener is served; see the conditions of the listeners')
      : each,
  );
  return {
    addresses: report.addresses,
    conditions: nextApiConditions(conditions, present['conditions'], generation, now),
    listeners: listeners.map(({ listener: { name, supportedKinds, attachedRoutes }, conditions: reported }) => {
      const before = known.find((each) => each['name'] === name);
      return {
        name,
        supportedKinds,
        attachedRoutes,
        conditions: nextApiConditions(reported, before?.['conditions'], generation, now),
      };
    }),
  };
}

function listenerConditions(
  { conditions, certificate }: ListenerReport,
  certificateProblem: (use: CertificateUse) => string | undefined,
): readonly ReportedCondition[] {
  const problem = certificate && certificateProblem(certificate);
  if (certificate === undefined || problem === undefined) return conditions;
  const message = `the Secret ${certificate.namespace}/${certificate.name} cannot be used: ${problem}`;
  return conditions.map((each) => {
    if (each.type === 'ResolvedRefs' && each.status) {
      return condition('ResolvedRefs', false, 'InvalidCertificateRef', message);
    }
    return each.type === 'Programmed' && each.status ? condition('Programmed', false, 'Invalid', message) : each;
  });
}

/** The parents of other controllers stay first. */
export function routeStatus(
  report: RouteReport,
  { present, generation, now }: StatusInputs,
  controllerName: string,
): StatusFields {
  const known = Array.isArray(present['parents']) ? present['parents'].filter(isRecord) : [];
  const isOwn = (parent: Readonly<Record<string, unknown>>): boolean => parent['controllerName'] === controllerName;
  const own = report.parents.map(({ parentRef, conditions }) => {
    const reference = withoutAbsent(parentRef);
    const before = known.find((each) => isOwn(each) && isDeepStrictEqual(each['parentRef'], reference));
    return {
      parentRef: reference,
      controllerName,
      conditions: nextApiConditions(conditions, before?.['conditions'], generation, now),
    };
  });
  return { parents: [...known.filter((each) => !isOwn(each)), ...own] };
}

function withoutAbsent(reference: ParentReference): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(reference).filter(([, value]) => value !== undefined && value !== ''));
}

/** Whether the API server has the status already. A route without any parent needs no status. */
export function isStatusInPlace(desired: StatusFields, present: StatusFields): boolean {
  return Object.entries(desired).every(
    ([field, value]) =>
      isDeepStrictEqual(present[field], value) ||
      (Array.isArray(value) && value.length === 0 && present[field] === undefined),
  );
}

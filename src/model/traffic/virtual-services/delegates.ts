import { isDeepStrictEqual } from 'node:util';
import { MESH_GATEWAY } from '../../../config/networking/host-names.js';
import type { HttpRouteSpec } from '../../../config/networking/virtual-service-http.js';
import { routeBytesLimit } from '../../../config/networking/virtual-service-limits.js';
import type { HttpMatchSpec, TextMatchSpec } from '../../../config/networking/virtual-service-match.js';
import { httpRouteBytes } from '../../../config/networking/virtual-service-size.js';
import { type ObjectKey, objectKey } from '../../../config/object.js';
import { isVisibleTo, type VirtualService, withRoutes } from './virtual-service.js';

/** Finds a VirtualService without hosts. */
export type DelegateLookup = (key: ObjectKey) => VirtualService | undefined;

export function hasDelegates({ http }: Pick<VirtualService, 'http'>): boolean {
  return http.some(({ delegate }) => delegate !== undefined);
}

/** The keys of the objects that the routes name, in order. */
export function delegateKeys({ http }: VirtualService): readonly ObjectKey[] {
  return http.flatMap(({ delegate }) => (delegate === undefined ? [] : [delegateKey(delegate)]));
}

/**
 * Puts the routes of delegates in the place of the routes that name them. A route of a delegate that cannot match together
 * with the conditions before it is left out, and so is a route whose delegate is missing, has hosts, or is not exported
 * to the namespace of the object.
 */
export function mergeDelegates(root: VirtualService, delegateOf: DelegateLookup): VirtualService {
  return withRoutes({ ...root, http: joinAll(root, delegateOf, () => undefined) });
}

/** A route with a delegate that has less effect than its object says. */
export interface DelegateProblem {
  /** Place of the route in `http`. */
  readonly route: number;
  readonly text: string;
  /** Whether the delegate does not exist, so that it may still come. */
  readonly isMissing: boolean;
}

/** What `mergeDelegates` leaves out, in the order of the routes. */
export function delegateProblems(root: VirtualService, delegateOf: DelegateLookup): readonly DelegateProblem[] {
  const problems: DelegateProblem[] = [];
  joinAll(root, delegateOf, (problem) => problems.push(problem));
  return problems;
}

type OnProblem = (problem: DelegateProblem) => void;

function joinAll(root: VirtualService, delegateOf: DelegateLookup, onProblem: OnProblem): readonly HttpRouteSpec[] {
  const http: HttpRouteSpec[] = [];
  const limit = routeBytesLimit(root.hosts, root.gateways.has(MESH_GATEWAY));
  let bytes = 0;
  for (const [index, route] of root.http.entries()) {
    const problem = (text: string, isMissing = false): void => onProblem({ route: index, text, isMissing });
    const merged =
      route.delegate === undefined ? [route] : delegatedRoutes(route, route.delegate, root, delegateOf, problem);
    for (const each of merged) {
      bytes += httpRouteBytes([each]);
      // Conditions of two objects multiply.
      if (bytes > limit) {
        problem(`the routes up to here take more than ${limit} bytes with their delegates, so the rest is left out`);
        return http;
      }
      http.push(each);
    }
  }
  return http;
}

type Delegate = NonNullable<HttpRouteSpec['delegate']>;

function delegateKey({ name, namespace = '' }: Delegate): ObjectKey {
  return objectKey('VirtualService', namespace, name);
}

function* delegatedRoutes(
  route: HttpRouteSpec,
  delegate: Delegate,
  root: VirtualService,
  delegateOf: DelegateLookup,
  problem: (text: string, isMissing?: boolean) => void,
): Iterable<HttpRouteSpec> {
  const key = delegateKey(delegate);
  const found = delegateOf(key);
  const why = whyNoDelegate(found, root);
  if (found === undefined || why !== undefined) {
    problem(`${key} ${why}, so the route does not exist`, found === undefined);
    return;
  }
  for (const [index, inner] of found.http.entries()) {
    const match = joinConditions(route.match ?? [], inner.match ?? []);
    if (inner.delegate !== undefined) {
      problem(`http[${index}] of ${key} has a delegate itself, so that route is left out`);
    } else if (match === undefined) {
      problem(`no condition of http[${index}] of ${key} is within the conditions of this route, so it is left out`);
    } else {
      yield joinRoutes(route, inner, match);
    }
  }
}

/** Undefined for a VirtualService that the root may use. */
function whyNoDelegate(found: VirtualService | undefined, root: VirtualService): string | undefined {
  if (found === undefined) return 'does not exist';
  if (found.hosts.length > 0) return 'has hosts, so it is no delegate';
  return isVisibleTo(found, root.namespace) ? undefined : `is not exported to namespace ${root.namespace}`;
}

/** The fields of the delegate, and those of the route that the delegate does not set. */
function joinRoutes(
  { name: outerName, match: _, delegate: __, ...outer }: HttpRouteSpec,
  { name: innerName, match: ___, ...inner }: HttpRouteSpec,
  match: readonly HttpMatchSpec[],
): HttpRouteSpec {
  const name = [outerName, innerName].filter((part) => part !== undefined && part !== '').join('-');
  const isRedirect = inner.redirect !== undefined;
  const { fault, rewrite, ...others } = outer;
  return {
    ...(isRedirect ? others : { ...others, ...(fault && { fault }), ...(rewrite && { rewrite }) }),
    ...inner,
    ...(name === '' ? {} : { name }),
    ...(match.length === 0 ? {} : { match }),
  };
}

/** Undefined if no request meets both. */
function joinConditions(
  outer: readonly HttpMatchSpec[],
  inner: readonly HttpMatchSpec[],
): readonly HttpMatchSpec[] | undefined {
  if (outer.length === 0) return inner;
  if (inner.length === 0) return outer;
  const joined = outer.flatMap((first) => inner.flatMap((second) => joinCondition(first, second) ?? []));
  return joined.length === 0 ? undefined : joined;
}

function joinCondition(outer: HttpMatchSpec, inner: HttpMatchSpec): HttpMatchSpec | undefined {
  for (const field of ['scheme', 'method', 'authority', 'port', 'sourceNamespace', 'ignoreUriCase'] as const) {
    if (outer[field] === undefined || inner[field] === undefined) continue;
    if (!isDeepStrictEqual(outer[field], inner[field])) return undefined;
  }
  for (const field of ['headers', 'withoutHeaders', 'queryParams', 'sourceLabels'] as const) {
    if (!agree(outer[field], inner[field])) return undefined;
  }
  if (outer.uri !== undefined && inner.uri !== undefined && !isWithin(outer.uri, inner.uri)) return undefined;
  const gateways = commonGateways(outer.gateways, inner.gateways);
  if (gateways?.length === 0) return undefined;
  const name = [outer.name, inner.name].filter((part) => part !== undefined && part !== '').join('-');
  return {
    ...outer,
    ...inner,
    ...(name === '' ? {} : { name }),
    ...joinMaps('headers', outer, inner),
    ...joinMaps('withoutHeaders', outer, inner),
    ...joinMaps('queryParams', outer, inner),
    ...joinMaps('sourceLabels', outer, inner),
    ...(gateways === undefined ? {} : { gateways }),
  };
}

function agree(first: Readonly<Record<string, unknown>> = {}, second: Readonly<Record<string, unknown>> = {}): boolean {
  return Object.keys(first).every((key) => !Object.hasOwn(second, key) || isDeepStrictEqual(first[key], second[key]));
}

function joinMaps<Field extends 'headers' | 'withoutHeaders' | 'queryParams' | 'sourceLabels'>(
  field: Field,
  outer: HttpMatchSpec,
  inner: HttpMatchSpec,
): Partial<Pick<HttpMatchSpec, Field>> {
  if (outer[field] === undefined && inner[field] === undefined) return {};
  return { [field]: { ...outer[field], ...inner[field] } } as Partial<Pick<HttpMatchSpec, Field>>;
}

/** Whether the inner path is one of those that the outer condition is for. */
function isWithin(outer: TextMatchSpec, inner: TextMatchSpec): boolean {
  if (inner.regex !== undefined) return false;
  const path = inner.exact ?? inner.prefix ?? '';
  if (outer.exact !== undefined) return inner.exact === outer.exact;
  return outer.prefix !== undefined && path.startsWith(outer.prefix);
}

/** Undefined if neither is limited. */
function commonGateways(outer: readonly string[] = [], inner: readonly string[] = []): readonly string[] | undefined {
  if (outer.length === 0 && inner.length === 0) return undefined;
  if (outer.length === 0) return inner;
  return inner.length === 0 ? outer : outer.filter((gateway) => inner.includes(gateway));
}

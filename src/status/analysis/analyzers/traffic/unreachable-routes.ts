import { isDeepStrictEqual } from 'node:util';
import { MESH_GATEWAY, resolveGatewayName } from '../../../../config/networking/host-names.js';
import type { VirtualServiceSpec } from '../../../../config/networking/virtual-service.js';
import type {
  HttpMatchSpec,
  TcpMatchSpec,
  TextMatchSpec,
  TlsMatchSpec,
} from '../../../../config/networking/virtual-service-match.js';
import { keyOf, type MeshObject } from '../../../../config/object.js';
import { memoize } from '../../../../model/memo.js';
import { type AnalysisMessage, createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';

/** Conditions of routes that an earlier route of the same VirtualService takes all requests from. */
export const unreachableRoutes: ObjectAnalyzer = {
  kinds: ['VirtualService'],
  // Nothing but the object decides, and comparing all its conditions takes time.
  find: memoize((object: MeshObject) => [...messagesAbout(object)]),
};

/** Comparisons for one object: some milliseconds. Routes beyond them are not compared. */
const MAX_COMPARISONS = 100_000;

/** A condition of a route: `undefined` stands for every request. */
interface Place<Condition> {
  readonly route: number;
  /** Undefined for a route without conditions. */
  readonly at: number | undefined;
  readonly condition: Condition | undefined;
}

type Covers<Condition> = (outer: Condition | undefined, inner: Condition | undefined) => boolean;

function* messagesAbout(object: MeshObject): Iterable<AnalysisMessage> {
  const { http = [], tls = [], tcp = [], gateways = [] } = object.body as Partial<VirtualServiceSpec>;
  const gatewaysOf = createGatewaySets(gateways, object.metadata.namespace);
  yield* compare<HttpMatchSpec>(object, 'http', http, (outer, inner) => coversHttp(outer, inner, gatewaysOf));
  yield* compare<TlsMatchSpec>(object, 'tls', tls, (outer, inner) => coversTls(outer, inner, gatewaysOf));
  yield* compare<TcpMatchSpec>(object, 'tcp', tcp, (outer, inner) => coversTcp(outer, inner, gatewaysOf));
}

interface RouteOf<Condition> {
  readonly match?: readonly Condition[] | undefined;
  readonly delegate?: object | undefined;
}

function* compare<Condition>(
  object: MeshObject,
  kind: string,
  routes: readonly RouteOf<Condition>[],
  covers: Covers<Condition>,
): Iterable<AnalysisMessage> {
  const earlier: Place<Condition>[] = [];
  let comparisons = 0;
  for (const [route, spec] of routes.entries()) {
    const places = placesOf<Condition>(route, spec.match);
    comparisons += places.length * earlier.length;
    if (comparisons > MAX_COMPARISONS) return;
    const covered = places.flatMap((place) => {
      const by = earlier.find(({ condition }) => covers(condition, place.condition));
      return by === undefined ? [] : [{ place, by }];
    });
    const [first] = covered;
    if (first !== undefined && covered.length === places.length) {
      yield message(object, `spec.${kind}[${route}]`, fieldOf(kind, first.by));
    } else {
      for (const { place, by } of covered) yield message(object, fieldOf(kind, place), fieldOf(kind, by));
    }
    // A route with a delegate takes the requests of the delegate's conditions only.
    if (spec.delegate === undefined) earlier.push(...places);
  }
}

function placesOf<Condition>(route: number, match: readonly Condition[] | undefined): readonly Place<Condition>[] {
  if (match === undefined || match.length === 0) return [{ route, at: undefined, condition: undefined }];
  return match.map((condition, at) => ({ route, at, condition }));
}

function fieldOf(kind: string, { route, at }: Place<unknown>): string {
  return at === undefined ? `spec.${kind}[${route}]` : `spec.${kind}[${route}].match[${at}]`;
}

function message(object: MeshObject, field: string, by: string): AnalysisMessage {
  return createMessage('unreachableRoute', { object: keyOf(object), field }, `${by} takes all its requests before it`);
}

/** The resolved gateways of a condition; undefined for those of the object. */
type GatewaySets = (names: readonly string[] | undefined) => ReadonlySet<string>;

function createGatewaySets(ofObject: readonly string[], namespace: string): GatewaySets {
  const resolve = (names: readonly string[]) => new Set(names.map((name) => resolveGatewayName(name, namespace)));
  const all = resolve(ofObject.length === 0 ? [MESH_GATEWAY] : ofObject);
  const ofNames = memoize(resolve);
  return (names) => (names === undefined || names.length === 0 ? all : ofNames(names));
}

type CallerPart = Pick<TcpMatchSpec, 'port' | 'sourceLabels' | 'sourceNamespace' | 'gateways'>;

function coversCaller(outer: CallerPart, inner: CallerPart, gatewaysOf: GatewaySets): boolean {
  const { port, sourceNamespace, sourceLabels = {}, gateways = [] } = outer;
  if (port !== undefined && port !== inner.port) return false;
  if (sourceNamespace !== undefined && sourceNamespace !== inner.sourceNamespace) return false;
  if (Object.entries(sourceLabels).some(([key, value]) => inner.sourceLabels?.[key] !== value)) return false;
  if (gateways.length === 0) return true;
  const taken = gatewaysOf(gateways);
  return [...gatewaysOf(inner.gateways)].every((gateway) => taken.has(gateway));
}

const EVERY: HttpMatchSpec = {};

function coversHttp(outer: HttpMatchSpec | undefined, inner: HttpMatchSpec = EVERY, gatewaysOf: GatewaySets): boolean {
  if (outer === undefined) return true;
  return (
    coversPath(outer, inner) &&
    coversText(outer.scheme, inner.scheme) &&
    coversText(outer.method, inner.method) &&
    coversText(outer.authority, inner.authority) &&
    coversValues(outer.headers, inner.headers) &&
    coversValues(outer.queryParams, inner.queryParams) &&
    Object.entries(outer.withoutHeaders ?? {}).every(([name, value]) =>
      isDeepStrictEqual(value, inner.withoutHeaders?.[name]),
    ) &&
    coversCaller(outer, inner, gatewaysOf)
  );
}

function coversPath(outer: HttpMatchSpec, inner: HttpMatchSpec): boolean {
  // Every path begins with a slash.
  if (outer.uri === undefined || outer.uri.prefix === '/') return true;
  if (outer.ignoreUriCase === true && outer.uri.regex === undefined) {
    return coversText(inLowerCase(outer.uri), inner.uri && inLowerCase(inner.uri));
  }
  return inner.ignoreUriCase !== true && coversText(outer.uri, inner.uri);
}

function inLowerCase({ exact, prefix, regex }: TextMatchSpec): TextMatchSpec {
  return {
    ...(exact === undefined ? {} : { exact: exact.toLowerCase() }),
    ...(prefix === undefined ? {} : { prefix: prefix.toLowerCase() }),
    ...(regex === undefined ? {} : { regex }),
  };
}

function coversText(outer: TextMatchSpec | undefined, inner: TextMatchSpec | undefined): boolean {
  if (outer === undefined) return true;
  if (inner === undefined) return false;
  if (outer.exact !== undefined) return inner.exact === outer.exact;
  if (outer.prefix !== undefined) return (inner.exact ?? inner.prefix)?.startsWith(outer.prefix) === true;
  return outer.regex === undefined || outer.regex === inner.regex;
}

/** A condition without a value holds for every value. */
function coversValues(outer: HttpMatchSpec['headers'] = {}, inner: HttpMatchSpec['headers'] = {}): boolean {
  return Object.entries(outer).every(([name, value]) => Object.hasOwn(inner, name) && coversText(value, inner[name]));
}

function coversTcp(outer: TcpMatchSpec | undefined, inner: TcpMatchSpec = {}, gatewaysOf: GatewaySets): boolean {
  if (outer === undefined) return true;
  const { destinationSubnets = [], sourceSubnet } = outer;
  // Envoy prefers narrower ranges wherever their route is.
  const isAll = destinationSubnets.length === 0 && sourceSubnet === undefined;
  const isSame =
    isDeepStrictEqual(destinationSubnets, inner.destinationSubnets ?? []) && sourceSubnet === inner.sourceSubnet;
  return (isAll || isSame) && coversCaller(outer, inner, gatewaysOf);
}

function coversTls(outer: TlsMatchSpec | undefined, inner: TlsMatchSpec | undefined, gatewaysOf: GatewaySets): boolean {
  if (outer === undefined || inner === undefined) return outer === undefined;
  // Envoy prefers longer server names and narrower ranges wherever their route is.
  return (
    inner.sniHosts.every((name) => outer.sniHosts.includes(name)) &&
    isDeepStrictEqual(outer.destinationSubnets ?? [], inner.destinationSubnets ?? []) &&
    coversCaller(outer, inner, gatewaysOf)
  );
}

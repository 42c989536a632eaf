import type { HttpRouteSpec } from '../../config/gateway-api/http-route.js';
import { findUnsupported } from '../../config/gateway-api/unsupported-route.js';
import type { MeshObject } from '../../config/object.js';
import { createObjectRegexes } from '../../config/policy/object-regexes.js';
import { checkRegex, createCheckMemo } from '../../config/regex/check-regex.js';
import type { RegexLimits } from '../../config/regex/regex-limits.js';
import { createMemo, memoize } from '../memo.js';
import { condition, type ReportedCondition } from './report.js';
import type { RouteDraft } from './route-draft.js';
import type { ResolveBackend } from './rules/backends.js';
import type { ListenerPort } from './rules/filters.js';
import { translateRule } from './rules/translate-rule.js';

type HttpRouteObject = MeshObject<string, HttpRouteSpec>;

/** A route at the listeners of one port. The same object while the route and its backends stay the same. */
export interface TranslatedRoute {
  /** In the order of the rules and matches; empty for a route that is not accepted. */
  readonly drafts: readonly RouteDraft[];
  /** Of the references to backends. */
  readonly resolvedRefs: ReportedCondition;
}

export interface RouteTranslator {
  /** Why the route is not accepted anywhere; undefined where it is. */
  rejectionOf(route: HttpRouteObject): ReportedCondition | undefined;
  translate(route: HttpRouteObject, listener: ListenerPort, resolve: ResolveBackend): TranslatedRoute;
}

/** Different backends and listeners of one route whose translations are remembered. */
const MAX_KEPT = 16;
const MAX_MESSAGES = 3;

export function createRouteTranslator(limits: RegexLimits): RouteTranslator {
  const checkOne = createCheckMemo((text) => checkRegex(text, limits.expressionBytes));
  const translated = createMemo<TranslatedRoute>(MAX_KEPT);
  const rejectionOf = memoize(({ body }: HttpRouteObject): ReportedCondition | undefined => {
    const found = findUnsupported(body, createObjectRegexes(checkOne, limits));
    if (found.length === 0) return undefined;
    const texts = found.slice(0, MAX_MESSAGES).map(({ path, message, remedy }) => `spec.${path} ${message}; ${remedy}`);
    const more = found.length > MAX_MESSAGES ? `, and ${found.length - MAX_MESSAGES} more` : '';
    return condition('Accepted', false, 'UnsupportedValue', `${texts.join('. ')}${more}`);
  });

  const build = (route: HttpRouteObject, listener: ListenerPort, resolve: ResolveBackend): TranslatedRoute => {
    const { namespace, name } = route.metadata;
    const problems = new Map<string, ReportedCondition>();
    const drafts = route.body.rules.flatMap((rule, index) =>
      translateRule(rule, index, {
        route: `${namespace}/${name}`,
        namespace,
        listener,
        resolve,
        onProblem: ({ reason, message }) => problems.set(message, condition('ResolvedRefs', false, reason, message)),
      }),
    );
    const [first] = problems.values();
    const messages = [...problems.keys()].slice(0, MAX_MESSAGES).join('; ');
    return {
      drafts: rejectionOf(route) === undefined ? drafts : [],
      resolvedRefs:
        first === undefined ? condition('ResolvedRefs', true, 'ResolvedRefs') : { ...first, message: messages },
    };
  };

  return {
    rejectionOf,
    translate: (route, listener, resolve) => {
      const key = JSON.stringify([listener, backendsOf(route, resolve)]);
      return translated.of([route], key, () => build(route, listener, resolve));
    },
  };
}

/** What the references of a route lead to: every input of its translation beside the route itself. */
function backendsOf({ body, metadata }: HttpRouteObject, resolve: ResolveBackend): readonly unknown[] {
  return body.rules.flatMap(({ backendRefs, filters }) => [
    ...backendRefs.map((backend) => resolve(backend, metadata.namespace)),
    ...filters.flatMap(({ requestMirror }) =>
      requestMirror === undefined ? [] : resolve(requestMirror.backendRef, metadata.namespace),
    ),
  ]);
}

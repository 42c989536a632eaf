import type { TypedExtensionConfig } from '../generated/xds/core/v3/TypedExtensionConfig.js';
import type {
  Matcher,
  _xds_type_matcher_v3_Matcher_OnMatch as OnMatch,
  _xds_type_matcher_v3_Matcher_MatcherList_Predicate as Predicate,
} from '../generated/xds/type/matcher/v3/Matcher.js';
import type { StringMatcher } from '../generated/xds/type/matcher/v3/StringMatcher.js';
import { buildParsedExpr, type CelExpression } from './cel-expression.js';
import type { MessageEncoder, PackedAny } from './message-encoder.js';

/** A text of a request. */
export type RequestInput =
  | { readonly type: 'header'; readonly name: string }
  /** The first value of a query parameter, decoded. */
  | { readonly type: 'query'; readonly name: string }
  /** The IP address of the client. */
  | { readonly type: 'sourceAddress' };

/** A condition on a request. It is false for a text that the request does not have. */
export type RequestCondition =
  | {
      readonly type: 'text';
      readonly input: RequestInput;
      /** `regex`: RE2, for the whole text. */
      readonly match: 'exact' | 'prefix' | 'regex';
      readonly text: string;
    }
  | { readonly type: 'expression'; readonly expression: CelExpression }
  /** Of no conditions: `all` is true, `any` is false. */
  | { readonly type: 'all' | 'any'; readonly conditions: readonly RequestCondition[] };

/** Finds an action for a request. */
export type MatchTree =
  | { readonly type: 'action'; readonly action: PackedAny }
  | {
      readonly type: 'branches';
      /** The first condition that holds decides. None of them is `all` or `any` of no conditions. */
      readonly branches: readonly { readonly condition: RequestCondition; readonly onMatch: MatchTree }[];
      /** Undefined: no action. */
      readonly otherwise: MatchTree | undefined;
    };

const MATCH_INPUTS = 'type.googleapis.com/envoy.type.matcher.v3';
const CEL_MATCHERS = 'type.googleapis.com/xds.type.matcher.v3';
const NETWORK_INPUTS = 'type.googleapis.com/envoy.extensions.matching.common_inputs.network.v3';

export function buildMatcher(encoder: MessageEncoder, tree: MatchTree): Matcher {
  const predicateOf = (condition: RequestCondition): Predicate => {
    if (condition.type === 'text') {
      const { input, match, text } = condition;
      return { singlePredicate: { input: buildRequestInput(encoder, input), valueMatch: stringMatcher(match, text) } };
    }
    if (condition.type === 'expression') {
      const matcher = { exprMatch: { parsedExpr: buildParsedExpr(condition.expression) } };
      return {
        singlePredicate: {
          input: extension(encoder, `${CEL_MATCHERS}.HttpAttributesCelMatchInput`, {}),
          customMatch: extension(encoder, `${CEL_MATCHERS}.CelMatcher`, matcher),
        },
      };
    }
    const predicates = condition.conditions.map(predicateOf);
    const [only] = predicates;
    // Envoy refuses lists of one.
    if (predicates.length === 1 && only !== undefined) return only;
    const list = { predicate: predicates };
    return condition.type === 'all' ? { andMatcher: list } : { orMatcher: list };
  };
  const onMatch = (child: MatchTree): OnMatch =>
    child.type === 'action' ? { action: { name: 'action', typedConfig: child.action } } : { matcher: matcherOf(child) };
  const matcherOf = (node: MatchTree): Matcher => {
    if (node.type === 'action') return { onNoMatch: onMatch(node) };
    const { branches, otherwise } = node;
    const matchers = branches.map(({ condition, onMatch: then }) => ({
      predicate: predicateOf(condition),
      onMatch: onMatch(then),
    }));
    return {
      ...(matchers.length > 0 && { matcherList: { matchers } }),
      ...(otherwise && { onNoMatch: onMatch(otherwise) }),
    };
  };
  return matcherOf(tree);
}

/** The text of a request as an extension. */
export function buildRequestInput(encoder: MessageEncoder, input: RequestInput): TypedExtensionConfig {
  switch (input.type) {
    case 'header':
      return extension(encoder, `${MATCH_INPUTS}.HttpRequestHeaderMatchInput`, { headerName: input.name });
    case 'query':
      return extension(encoder, `${MATCH_INPUTS}.HttpRequestQueryParamMatchInput`, { queryParam: input.name });
    case 'sourceAddress':
      return extension(encoder, `${NETWORK_INPUTS}.SourceIPInput`, {});
  }
}

function extension(encoder: MessageEncoder, typeUrl: string, message: object): TypedExtensionConfig {
  // Envoy finds the extension by the type of its configuration. The name is for people.
  return { name: typeUrl.slice(typeUrl.lastIndexOf('.') + 1), typedConfig: encoder.packAny(typeUrl, message) };
}

function stringMatcher(match: 'exact' | 'prefix' | 'regex', text: string): StringMatcher {
  switch (match) {
    case 'exact':
      return { exact: text };
    case 'prefix':
      return { prefix: text };
    case 'regex':
      return { safeRegex: { googleRe2: {}, regex: text } };
  }
}

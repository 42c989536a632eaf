import type { ResponseMapper } from '../generated/envoy/extensions/filters/network/http_connection_manager/v3/ResponseMapper.js';

/** Response to a request that was rejected because its check got no answer. */
export interface UnansweredCheckReply {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Keys of the dynamic metadata, of which every answer of the authorization server has one. */
  readonly answerKeys: readonly string[];
}

const HTTP_EXT_AUTHZ_NAMESPACE = 'envoy.filters.http.ext_authz';

/**
 * Adds a body and headers to Envoy's own rejection, which has none. Envoy sets the flag UAEX on denials by the server
 * too; these have the metadata of their answer and stay as they are.
 */
export function buildUnansweredCheckReply({ body, headers, answerKeys }: UnansweredCheckReply): ResponseMapper {
  return {
    filter: {
      andFilter: {
        filters: [
          { responseFlagFilter: { flags: ['UAEX'] } },
          ...answerKeys.map((key) => ({
            metadataFilter: {
              // No answer has null there, so only a request without an answer matches.
              matcher: { filter: HTTP_EXT_AUTHZ_NAMESPACE, path: [{ key }], value: { nullMatch: {} } },
              matchIfKeyNotFound: { value: true },
            },
          })),
        ],
      },
    },
    body: { inlineString: body },
    headersToAdd: Object.entries(headers).map(([key, value]) => ({
      header: { key, value },
      appendAction: 'OVERWRITE_IF_EXISTS_OR_ADD',
    })),
  };
}

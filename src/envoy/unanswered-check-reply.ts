import type { ResponseMapper } from '../generated/envoy/extensions/filters/network/http_connection_manager/v3/ResponseMapper.js';

/** What a request is told that was refused because its check got no answer. */
export interface UnansweredCheckReply {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Key of the dynamic metadata that every answer of the authorization server has. */
  readonly answerKey: string;
}

const HTTP_EXT_AUTHZ_NAMESPACE = 'envoy.filters.http.ext_authz';

/**
 * Gives Envoy's own refusal a body and headers; it has none otherwise. Envoy sets the flag UAEX on denials by the server
 * too: those have the metadata of their answer, and are left alone.
 */
export function buildUnansweredCheckReply({ body, headers, answerKey }: UnansweredCheckReply): ResponseMapper {
  return {
    filter: {
      andFilter: {
        filters: [
          { responseFlagFilter: { flags: ['UAEX'] } },
          {
            metadataFilter: {
              // No answer has null there: only a request without an answer passes.
              matcher: { filter: HTTP_EXT_AUTHZ_NAMESPACE, path: [{ key: answerKey }], value: { nullMatch: {} } },
              matchIfKeyNotFound: { value: true },
            },
          },
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

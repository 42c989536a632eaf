import type { HeaderMutation } from '../generated/envoy/extensions/filters/http/header_mutation/v3/HeaderMutation.js';
import type { MessageEncoder, PackedAny } from './message-encoder.js';

export const HEADER_MUTATION = 'type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutation';

/** Sets a header of every request, whatever it was before. */
export function buildHeaderMutation(encoder: MessageEncoder, header: string, value: string): PackedAny {
  const config: HeaderMutation = {
    mutations: {
      requestMutations: [{ append: { header: { key: header, value }, appendAction: 'OVERWRITE_IF_EXISTS_OR_ADD' } }],
    },
  };
  return encoder.packAny(HEADER_MUTATION, config);
}

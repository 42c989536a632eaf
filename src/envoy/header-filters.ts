import type { HeaderMutation } from '../generated/envoy/extensions/filters/http/header_mutation/v3/HeaderMutation.js';
import type { Config } from '../generated/envoy/extensions/filters/http/header_to_metadata/v3/Config.js';
import type { HttpFilter } from '../generated/envoy/extensions/filters/network/http_connection_manager/v3/HttpFilter.js';
import type { MessageEncoder, PackedAny } from './message-encoder.js';

/** A request header that becomes dynamic metadata of the request. */
export interface HeaderToMetadataOptions {
  readonly header: string;
  readonly namespace: string;
  readonly key: string;
}

const HEADER_TO_METADATA = 'type.googleapis.com/envoy.extensions.filters.http.header_to_metadata.v3.Config';

/** Keeps a header's text for the access log, and removes the header from the request. */
export function buildHeaderToMetadata(
  encoder: MessageEncoder,
  { header, namespace, key }: HeaderToMetadataOptions,
): HttpFilter {
  const config: Config = {
    requestRules: [{ header, onHeaderPresent: { metadataNamespace: namespace, key, type: 'STRING' }, remove: true }],
  };
  return {
    name: 'envoy.filters.http.header_to_metadata',
    typedConfig: encoder.packAny(HEADER_TO_METADATA, config),
  };
}

export const HEADER_MUTATION = 'type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutation';

/** Headers of every request that a filter replaces, whatever the caller sends. */
export interface HeaderMutationOptions {
  readonly set: { readonly header: string; readonly value: string };
  readonly remove: string;
}

/** Sets one header of every request, and removes another one. */
export function buildHeaderMutation(encoder: MessageEncoder, { set, remove }: HeaderMutationOptions): PackedAny {
  const { header: key, value } = set;
  const config: HeaderMutation = {
    mutations: {
      requestMutations: [
        { append: { header: { key, value }, appendAction: 'OVERWRITE_IF_EXISTS_OR_ADD' } },
        { remove },
      ],
    },
  };
  return encoder.packAny(HEADER_MUTATION, config);
}

import type { HeaderValueOption } from '../../../generated/envoy/config/core/v3/HeaderValueOption.js';
import type { Route } from '../../../generated/envoy/config/route/v3/Route.js';
import type { HeaderChanges, HeaderOperations } from '../../../model/traffic/http-action.js';

/** Fields that routes and weighted destinations have in common. */
type HeaderFields = Pick<
  Route,
  'requestHeadersToAdd' | 'requestHeadersToRemove' | 'responseHeadersToAdd' | 'responseHeadersToRemove'
>;

export function buildHeaderChanges({ request = {}, response = {} }: HeaderChanges): HeaderFields {
  const fields: HeaderFields = {};
  const [requestHeaders, responseHeaders] = [additions(request), additions(response)];
  if (requestHeaders.length > 0) fields.requestHeadersToAdd = requestHeaders;
  if (request.remove !== undefined) fields.requestHeadersToRemove = [...request.remove];
  if (responseHeaders.length > 0) fields.responseHeadersToAdd = responseHeaders;
  if (response.remove !== undefined) fields.responseHeadersToRemove = [...response.remove];
  return fields;
}

function additions({ set = {}, add = {} }: HeaderOperations): HeaderValueOption[] {
  return [
    ...Object.entries(set).map(([key, value]) => option(key, value, 'OVERWRITE_IF_EXISTS_OR_ADD')),
    ...Object.entries(add).map(([key, value]) => option(key, value, 'APPEND_IF_EXISTS_OR_ADD')),
  ];
}

function option(
  key: string,
  value: string,
  appendAction: NonNullable<HeaderValueOption['appendAction']>,
): HeaderValueOption {
  return { header: { key, value }, appendAction };
}

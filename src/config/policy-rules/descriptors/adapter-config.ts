import type { Violation } from '../../violation.js';
import { DescriptorError } from './descriptor-error.js';
import type { DescriptorSet } from './descriptor-set.js';
import { encodeParams } from './encode-params.js';
import { readDescriptorSet } from './read-descriptor-set.js';

/** The parameters of a handler, as calls send them: a google.protobuf.Any. Plain data. */
export interface EncodedConfig {
  /** Full name of the message. */
  readonly message: string;
  /** Base64. */
  readonly value: string;
}

/** What an adapter says about its parameters. */
export interface AdapterConfig {
  /** Undefined for parameters that are right and empty, of an adapter that takes none. */
  encode(
    params: unknown,
  ): { readonly config: EncodedConfig | undefined } | { readonly violations: readonly Violation[] };
}

const PARAMS = 'Params';

/**
 * Reads the descriptor of an adapter's parameters: the message Params of one of its files.
 *
 * @param config empty or absent for an adapter without parameters
 * @throws DescriptorError for a descriptor that cannot be read, or without the message
 */
export function readAdapterConfig(config: string | undefined): AdapterConfig {
  if (config === undefined || config.trim() === '') return WITHOUT_PARAMS;
  const set = readDescriptorSet(config);
  const message = paramsMessage(set);
  return {
    encode: (params) => {
      const encoded = encodeParams(set, message, params);
      if (encoded.type === 'invalid') return { violations: encoded.violations };
      return { config: { message, value: Buffer.from(encoded.bytes).toString('base64') } };
    },
  };
}

/** The last file counts: imports come before the files that need them. */
function paramsMessage({ files }: DescriptorSet): string {
  const named = files.flatMap(({ messages }) => messages.filter((name) => name.split('.').at(-1) === PARAMS));
  const message = named.at(-1);
  if (message !== undefined) return message;
  throw new DescriptorError(
    `has no message ${PARAMS}`,
    'describe the file with the message Params, the parameters of handlers',
  );
}

const WITHOUT_PARAMS: AdapterConfig = {
  encode: (params) => {
    const [first] = Object.keys(params ?? {});
    if (first === undefined) return { config: undefined };
    const remedy = 'remove it, or describe the message Params in config of the adapter';
    return { violations: [{ path: `params.${first}`, message: 'is set, but the adapter has no parameters', remedy }] };
  },
};

import type { CapturedTraffic } from '../../capture/capture-rules.js';
import type { WrittenFile } from '../../capture/write-files.js';
import { bool, integer, oneOf } from '../values/scalar-types.js';
import { addressRanges, addressSelection, portSelection, ports, writtenFiles } from '../values/traffic-types.js';
import type { FlagTable } from './setting.js';

export const INTERCEPTION_MODES = ['REDIRECT', 'NONE'] as const;

export interface CaptureFlags extends CapturedTraffic {
  /** NONE sets no rules. */
  readonly interceptionMode: (typeof INTERCEPTION_MODES)[number];
  readonly files: readonly WrittenFile[];
  readonly dryRun: boolean;
}

const port = integer({ min: 1, max: 65535 });

/** The flags of the `capture-traffic` command. */
export const captureFlags: FlagTable<CaptureFlags> = {
  interceptionMode: {
    name: 'interceptionMode',
    type: oneOf(INTERCEPTION_MODES),
    default: 'REDIRECT',
    meaning: 'How traffic reaches the proxy: REDIRECT redirects it; NONE sets no rules',
  },
  files: {
    name: 'writeFile',
    type: writtenFiles,
    default: '',
    meaning: 'path=content of a file to write for the proxy before the rules are set; may be repeated',
  },
  includeInboundPorts: {
    name: 'includeInboundPorts',
    type: portSelection,
    default: '*',
    meaning: 'Ports whose incoming connections are redirected to the proxy: * for all, empty for none',
  },
  excludeInboundPorts: {
    name: 'excludeInboundPorts',
    type: ports,
    default: '',
    meaning: 'Ports whose incoming connections are not redirected',
  },
  includeOutboundIpRanges: {
    name: 'includeOutboundIPRanges',
    type: addressSelection,
    default: '*',
    meaning: 'Addresses whose outgoing connections are redirected to the proxy: * for all, empty for none',
  },
  excludeOutboundIpRanges: {
    name: 'excludeOutboundIPRanges',
    type: addressRanges,
    default: '',
    meaning: 'Addresses whose outgoing connections are not redirected',
  },
  excludeOutboundPorts: {
    name: 'excludeOutboundPorts',
    type: ports,
    default: '',
    meaning: 'Ports whose outgoing connections are not redirected',
  },
  inboundPort: {
    name: 'inboundPort',
    type: port,
    default: '15006',
    meaning: 'Port of the proxy for incoming connections',
  },
  outboundPort: {
    name: 'outboundPort',
    type: port,
    default: '15001',
    meaning: 'Port of the proxy for outgoing connections',
  },
  captureDns: {
    name: 'captureDNS',
    type: bool,
    default: 'false',
    meaning: 'Redirect UDP packets to port 53 to the proxy, except those of the proxy itself',
  },
  dnsPort: {
    name: 'dnsPort',
    type: port,
    default: '15013',
    meaning: 'UDP port of the proxy for DNS packets',
  },
  proxyUid: {
    name: 'proxyUID',
    type: integer({ min: 1 }),
    default: '1337',
    meaning: 'User ID of the proxy; connections of this user are not redirected',
  },
  dryRun: { name: 'dryRun', type: bool, default: 'false', meaning: 'Print the rules without setting them' },
};

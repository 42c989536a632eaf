import type { ProxyConnection } from '../../model/proxy-connection.js';
import type { ProxyState } from '../proxy-state.js';

export interface ProxyRow {
  readonly connection: ProxyConnection;
  readonly state: ProxyState;
}

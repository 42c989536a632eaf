import type { ListWatcher } from '../../kubernetes/watch/list-watcher.js';
import { rawKind } from '../../kubernetes/watch/raw-kind.js';
import { ROOT_SECRET } from './secret-root-store.js';

const SECRET_KIND = rawKind({ group: '', kind: 'Secret', plural: 'secrets', namespaced: true });

/**
 * Tells each version that the root's secret has, as it comes; empty when the secret has been deleted. Its content is
 * read by whoever wants it: what a watch brings is kept nowhere.
 *
 * @param namespace the control plane's own
 */
export function watchRootSecret(watcher: ListWatcher, namespace: string, onVersion: (version: string) => void): void {
  let isThere = false;
  watcher.watch({
    definition: SECRET_KIND,
    namespace,
    selector: { fieldSelector: `metadata.name=${ROOT_SECRET}` },
    sink: {
      isEmpty: () => !isThere,
      replace: () => {
        let found = '';
        return {
          add: (objects) => {
            found = objects[0]?.metadata.resourceVersion ?? found;
          },
          commit: () => {
            isThere = found !== '';
            onVersion(found);
          },
        };
      },
      apply: (events) => {
        for (const { type, object } of events) {
          isThere = type !== 'DELETED';
          onVersion(isThere ? object.metadata.resourceVersion : '');
        }
      },
    },
  });
}

// These names are listed here so that the bundle leaves out the rest of the library, which is most of its 70 MiB.
export { KubeConfig } from '@kubernetes/client-node';

// Named here so that the bundle takes these parts of the library and leaves the rest, most of its 70 MiB.
export { KubeConfig } from '@kubernetes/client-node';

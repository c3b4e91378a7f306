/** Where this program lies. A file of the package is found from here, since the build also bundles the modules. */

/** Of the compiled program: `dist/src`, or `dist/program` where it is bundled. Both have the same threads below them. */
export const programFolder = new URL('./', import.meta.url);

/** Of the package. This module lies two folders below it, compiled and bundled. */
export const packageFolder = new URL('../../', import.meta.url);

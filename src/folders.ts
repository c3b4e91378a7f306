/** Where this program lies. A file of the package is found from here, since the build also bundles the modules. */

/** Of the bundled program. Its threads serve a main thread that is not bundled too, and load in two thirds of the time. */
export const programFolder = new URL('../program/', import.meta.url);

/** Of the package. This module lies two folders below it, compiled and bundled. */
export const packageFolder = new URL('../../', import.meta.url);

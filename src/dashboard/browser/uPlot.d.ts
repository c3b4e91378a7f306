/** The build puts uPlot beside the scripts of the pages. */
// oxlint-disable-next-line import/no-default-export
export { default } from 'uplot';

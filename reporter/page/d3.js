// SPDX-License-Identifier: BSD-3-Clause
// Names the parts of D3 (version 5) that the pages use. esbuild takes only these from Debian's node-d3-*.
export { ascending, cumsum, extent, group, max, mean, range, sum, variance } from "d3-array";
export { axisBottom, axisLeft } from "d3-axis";
export { brushX } from "d3-brush";
export { dispatch } from "d3-dispatch";
export { hierarchy, partition } from "d3-hierarchy";
// Each scale is imported from its own file, since the index of d3-scale would bring calendars, 15 kB of script.
export { default as scaleLinear } from "d3-scale/src/linear.js";
export { default as scaleLog } from "d3-scale/src/log.js";
export { create, event, select } from "d3-selection";
export { area, curveStepAfter, stack } from "d3-shape";

/** The parts of ECharts that the charts of a study need. */
import { BarChart, HeatmapChart, LineChart, ParallelChart, ScatterChart } from "echarts/charts";
import {
  GridComponent,
  ParallelComponent,
  TooltipComponent,
  VisualMapComponent,
} from "echarts/components";
import { init, use } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";

use([
  BarChart,
  HeatmapChart,
  LineChart,
  ParallelChart,
  ScatterChart,
  GridComponent,
  ParallelComponent,
  TooltipComponent,
  VisualMapComponent,
  CanvasRenderer,
]);

export type { EChartsCoreOption as Option, EChartsType as Engine } from "echarts/core";
export { init };

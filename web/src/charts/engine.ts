/** Only the parts of ECharts that a line chart needs. */
import { LineChart, ScatterChart } from "echarts/charts";
import { GridComponent, TooltipComponent } from "echarts/components";
import { init, use } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";

use([LineChart, ScatterChart, GridComponent, TooltipComponent, CanvasRenderer]);

export type { EChartsCoreOption as Option, EChartsType as Engine } from "echarts/core";
export { init };

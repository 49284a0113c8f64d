package main

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// The layout, in pixels.
const (
	panelWidth  = 300
	panelHeight = 330
	labelWidth  = 165 // space to the right of a panel for the labels of its lines
	left, top   = 60, 54
	bottom      = 46
	lineHeight  = 14 // distance between two labels
)

// colors of the lines. Most people can distinguish them, on light and dark backgrounds.
var colors = []string{"#4477aa", "#ee6677", "#228833", "#b8860b", "#33a5c9", "#aa3377", "#888888", "#e07b39", "#6a5acd", "#2e8b57", "#a0522d", "#c71585"}

// point is a position in a panel.
type point struct{ x, y float64 }

// scale is the range of both axes, the same in all panels.
type scale struct {
	links     []int
	low, high float64 // milliseconds, powers of ten
}

func (c *chart) scale(panels []panel) scale {
	s := scale{links: c.sizes(panels), low: math.Inf(1), high: math.Inf(-1)}
	for _, p := range panels {
		for _, l := range c.lines {
			for _, ms := range p.measurements[l.benchmark] {
				s.low, s.high = min(s.low, ms), max(s.high, ms)
			}
		}
	}
	s.low = math.Pow(10, math.Floor(math.Log10(s.low)))
	s.high = math.Pow(10, math.Ceil(math.Log10(s.high)))
	return s
}

func (s scale) x(links int) float64 {
	first, last := math.Log10(float64(s.links[0])), math.Log10(float64(s.links[len(s.links)-1]))
	if first == last {
		return panelWidth / 2
	}
	return panelWidth * (math.Log10(float64(links)) - first) / (last - first)
}

func (s scale) y(ms float64) float64 {
	return panelHeight * (1 - math.Log10(ms/s.low)/math.Log10(s.high/s.low))
}

// plot returns the chart as an SVG image: a panel per database, with logarithmic axes.
func (c *chart) plot(panels []panel) string {
	s := c.scale(panels)
	width := left + len(panels)*(panelWidth+labelWidth)
	var svg strings.Builder
	fmt.Fprintf(&svg, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" font-size="12" role="img">
<title>%s: latency in milliseconds by number of links</title>
<style>
svg { background: #fff; color: #222 }
text { fill: currentColor }
.grid { stroke: currentColor; stroke-opacity: .15 }
@media (prefers-color-scheme: dark) { svg { background: #0d1117; color: #e6edf3 } }
</style>
<text x="%d" y="20" font-size="15" font-weight="600">%s</text>
`, width, top+panelHeight+bottom, html.EscapeString(c.title), left, html.EscapeString(c.title))
	for i, p := range panels {
		fmt.Fprintf(&svg, "<g transform=\"translate(%d %d)\">\n", left+i*(panelWidth+labelWidth), top)
		fmt.Fprintf(&svg, "<text x=\"0\" y=\"-12\" font-weight=\"600\">%s</text>\n", html.EscapeString(p.name))
		s.grid(&svg, i == 0)
		c.draw(&svg, s, p)
		svg.WriteString("</g>\n")
	}
	svg.WriteString("</svg>\n")
	return svg.String()
}

func (s scale) grid(svg *strings.Builder, labeled bool) {
	for ms := s.low; ms <= s.high*1.001; ms *= 10 {
		y := s.y(ms)
		fmt.Fprintf(svg, `<line class="grid" x1="0" x2="%d" y1="%.1f" y2="%.1f"/>`+"\n", panelWidth, y, y)
		if labeled {
			fmt.Fprintf(svg, `<text x="-8" y="%.1f" text-anchor="end" dominant-baseline="middle">%s</text>`+"\n", y, duration(ms))
		}
	}
	for _, links := range s.links {
		x := s.x(links)
		fmt.Fprintf(svg, `<line class="grid" x1="%.1f" x2="%.1f" y1="0" y2="%d"/>`+"\n", x, x, panelHeight)
		fmt.Fprintf(svg, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", x, panelHeight+18, thousands(links))
	}
	fmt.Fprintf(svg, `<text x="%d" y="%d" text-anchor="middle">links</text>`+"\n", panelWidth/2, panelHeight+36)
}

func duration(ms float64) string {
	switch {
	case ms < 0.99:
		return fmt.Sprintf("%.0f µs", ms*1000)
	case ms < 999:
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.0f s", ms/1000)
}

// draw draws the lines of a panel, with a label beside the end of each.
func (c *chart) draw(svg *strings.Builder, s scale, p panel) {
	type label struct {
		name, color string
		end         point
		y           float64 // position, chosen so that labels do not overlap
	}
	var labels []label
	for i, l := range c.lines {
		color := colors[i%len(colors)]
		var points []point
		for _, links := range s.links {
			if ms, ok := p.measurements[l.benchmark][links]; ok {
				points = append(points, point{s.x(links), s.y(ms)})
			}
		}
		if len(points) == 0 {
			continue
		}
		var path strings.Builder
		for _, at := range points {
			fmt.Fprintf(&path, "%.1f,%.1f ", at.x, at.y)
			fmt.Fprintf(svg, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", at.x, at.y, color)
		}
		fmt.Fprintf(svg, `<polyline points="%s" fill="none" stroke="%s" stroke-width="1.8"/>`+"\n", strings.TrimSpace(path.String()), color)
		end := points[len(points)-1]
		labels = append(labels, label{l.name, color, end, end.y})
	}
	// From top to bottom, move each label below the one before. Then, from bottom to
	// top, move those that left the panel back into it.
	slices.SortFunc(labels, func(a, b label) int { return cmp.Compare(a.end.y, b.end.y) })
	for i := 1; i < len(labels); i++ {
		labels[i].y = max(labels[i].y, labels[i-1].y+lineHeight)
	}
	lowest := float64(panelHeight)
	for i := len(labels) - 1; i >= 0; i-- {
		labels[i].y = min(labels[i].y, lowest)
		lowest = labels[i].y - lineHeight
	}
	for _, l := range labels {
		fmt.Fprintf(svg, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-opacity=".5"/>`+"\n", l.end.x+4, l.end.y, l.end.x+14, l.y, l.color)
		fmt.Fprintf(svg, `<text x="%.1f" y="%.1f" dominant-baseline="middle" style="fill:%s">%s</text>`+"\n", l.end.x+17, l.y, l.color, html.EscapeString(l.name))
	}
}

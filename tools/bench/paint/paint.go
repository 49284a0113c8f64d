// Command paint prints how soon pages of running servers appear in headless Chromium, and
// whether anything moves while they load:
//
//	go -C tools/bench run ./paint --user ada --password … http://127.0.0.1:8080
//
// It opens each page from a small page of the same server, as a person who follows a link does,
// because the browser then keeps its process. With several servers it loads a page of each in
// turn, so that other load on the machine affects all of them. Their host names
// must differ, because cookies do not know ports: http://127.0.0.1:8080 and
// http://localhost:8081.
//
// The columns are the median and the shortest time to the first contentful paint, the time to
// the end of the response, the thread time of the page in style, layout and scripts and in all
// of its tasks until it is loaded, and the largest cumulative layout shift. The first load of
// each page fills the caches and does not count.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"time"

	"github.com/alecthomas/kong"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
)

type options struct {
	Servers  []string `arg:"" help:"URLs of servers, such as http://127.0.0.1:8080."`
	User     string   `help:"Name to sign in with. Guests if it is empty."`
	Password string   `help:"Password of the user."`
	Page     []string `help:"Paths of the pages." default:"/links?view=comfortable,/links?view=compact,/links?view=cards,/lists,/tags,/settings/profile,/trash/links"`
	Loads    int      `help:"Loads of each page that count." default:"10"`
	Width    int64    `help:"Width of the window in pixels." default:"1440"`
	Height   int64    `help:"Height of the window in pixels." default:"900"`
}

func main() {
	var o options
	command := kong.Parse(&o, kong.Description("Prints how soon pages appear in headless Chromium."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	command.FatalIfErrorf(o.run(ctx))
}

// load is one load of a page. Times are in milliseconds.
type load struct {
	paint, response, style, layout, script, tasks, shift float64
}

func (o options) run(ctx context.Context) error {
	if o.Loads < 1 {
		return errors.New("--loads must be at least 1")
	}
	ctx, cancel := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.NoSandbox, // not available in containers
		chromedp.DisableGPU,
		chromedp.WindowSize(int(o.Width), int(o.Height)),
	)...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()
	// Each server has a tab of its own, whose process the browser keeps.
	tabs := make([]context.Context, len(o.Servers))
	for i, server := range o.Servers {
		tab, cancel := chromedp.NewContext(ctx)
		defer cancel()
		if err := o.prepare(tab, server); err != nil {
			return fmt.Errorf("%s: %w", server, err)
		}
		tabs[i] = tab
	}
	fmt.Println("ms      first paint (best) response  style  layout  script   tasks   shift  page")
	for _, path := range o.Page {
		loads := make([][]load, len(o.Servers))
		for n := range o.Loads + 1 {
			for i, server := range o.Servers {
				one, err := loadPage(tabs[i], server+"/robots.txt", server+path)
				if err != nil {
					return fmt.Errorf("%s%s: %w", server, path, err)
				}
				if n > 0 {
					loads[i] = append(loads[i], one)
				}
			}
		}
		for i, server := range o.Servers {
			median := func(value func(load) float64) float64 { return sorted(loads[i], value)[o.Loads/2] }
			paint := func(l load) float64 { return l.paint }
			shifts := sorted(loads[i], func(l load) float64 { return l.shift })
			fmt.Printf("%19.0f (%4.0f) %8.1f %6.1f %7.1f %7.1f %7.1f %7.3f  %s%s\n", median(paint), sorted(loads[i], paint)[0], median(func(l load) float64 { return l.response }),
				median(func(l load) float64 { return l.style }), median(func(l load) float64 { return l.layout }),
				median(func(l load) float64 { return l.script }), median(func(l load) float64 { return l.tasks }), shifts[len(shifts)-1], server, path)
		}
	}
	return nil
}

// sorted returns a value of each load in ascending order.
func sorted(loads []load, value func(load) float64) []float64 {
	values := make([]float64, len(loads))
	for i, l := range loads {
		values[i] = value(l)
	}
	slices.Sort(values)
	return values
}

// prepare opens a tab, and signs in to a server if there is a user.
func (o options) prepare(ctx context.Context, server string) error {
	if err := chromedp.Do(ctx, measureThreadTime, chromedp.EmulateViewport(o.Width, o.Height)); err != nil {
		return err
	}
	if o.User == "" {
		return nil
	}
	return o.signIn(ctx, server)
}

// signIn signs in to a server with its form.
func (o options) signIn(ctx context.Context, server string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	submit := fmt.Sprintf(`(() => {
		const form = document.querySelector("form:has([name=password])");
		form.elements.name.value = %q;
		form.elements.password.value = %q;
		form.requestSubmit();
	})()`, o.User, o.Password)
	if err := chromedp.Do(ctx, chromedp.Navigate(server+"/signin"), chromedp.Evaluate[chromedp.Void](submit)); err != nil {
		return err
	}
	for {
		// An error means that the browser is between two pages.
		if ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`!!document.querySelector(".side")`)); err == nil && ok {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.New("no page with a sidebar appears: check the name and the password")
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// measureThreadTime lets the browser measure the time that a thread was running.
var measureThreadTime = chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
	_, err := cdp.Call(ctx, target, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks})
	return err
})

// painted returns the time to the first contentful paint, the cumulative layout shift and the
// time to the end of the response.
const painted = `new Promise((done) => {
	let shift = 0;
	const moves = new PerformanceObserver((list) => list.getEntries().forEach((entry) => (shift += entry.value)));
	moves.observe({type: "layout-shift", buffered: true});
	new PerformanceObserver((list) => {
		const paint = list.getEntriesByName("first-contentful-paint")[0];
		// A shift is reported some time after its frame.
		if (paint) setTimeout(() => done([paint.startTime, shift, performance.getEntriesByType("navigation")[0].responseEnd]), 100);
	}).observe({type: "paint", buffered: true});
})`

// loadPage loads a page once, after another one of the same server.
func loadPage(ctx context.Context, from, rawURL string) (load, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Navigate(from)); err != nil {
		return load{}, err
	}
	before, err := metrics(ctx)
	if err != nil {
		return load{}, err
	}
	if err := chromedp.Do(ctx, chromedp.Navigate(rawURL)); err != nil {
		return load{}, err
	}
	times, err := chromedp.Run(ctx, chromedp.Evaluate[[]float64](painted, chromedp.EvalAwaitPromise))
	if err != nil {
		return load{}, err
	}
	after, err := metrics(ctx)
	if err != nil {
		return load{}, err
	}
	spent := func(name string) float64 {
		if after[name] < before[name] { // another process shows the page
			return after[name] * 1000
		}
		return (after[name] - before[name]) * 1000
	}
	return load{times[0], times[2], spent("RecalcStyleDuration"), spent("LayoutDuration"), spent("ScriptDuration"), spent("TaskDuration"), times[1]}, nil
}

// metrics returns what the browser has measured since the start of the tab, in seconds.
func metrics(ctx context.Context) (map[string]float64, error) {
	values := map[string]float64{}
	err := chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		result, err := cdp.Call(ctx, target, performance.GetMetrics, cdp.Empty{})
		if err != nil {
			return err
		}
		for _, metric := range result.Metrics {
			values[metric.Name] = metric.Value
		}
		return nil
	}))
	return values, err
}

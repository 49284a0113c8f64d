package api

import (
	"strings"

	"waymark/internal/waymark"
)

// defaultIcon is the icon of links to hosts without a brand icon.
const defaultIcon = "fa fa-link"

// brands are hosts for which Font Awesome has an icon, whose name is the first part of the host or stands after it.
const brands = `amazon.com apple.com behance.net bitbucket.org codepen.io dev.to deviantart.com discord.com docker.com
	dribbble.com dropbox.com etsy.com facebook.com figma.com flickr.com github.com github.io gitlab.com
	goodreads.com google.com imdb.com instagram.com jsfiddle.net kickstarter.com linkedin.com medium.com
	microsoft.com patreon.com pinterest.com quora.com reddit.com researchgate.net slideshare.net soundcloud.com
	spotify.com telegram.org trello.com tumblr.com twitch.tv twitter.com vimeo.com whatsapp.com wordpress.com
	wordpress.org youtube.com digitalocean.com=digital-ocean itch.io=itch-io last.fm=lastfm npmjs.com=npm
	producthunt.com=product-hunt stackexchange.com=stack-exchange stackoverflow.com=stack-overflow
	steampowered.com=steam t.me=telegram wikipedia.org=wikipedia-w x.com=twitter ycombinator.com=y-combinator
	youtu.be=youtube`

// brandIcons maps the brands to the names of their icons.
var brandIcons = func() map[string]string {
	icons := map[string]string{}
	for brand := range strings.FieldsSeq(brands) {
		host, name, ok := strings.Cut(brand, "=")
		if !ok {
			name, _, _ = strings.Cut(host, ".")
		}
		icons[host] = name
	}
	return icons
}()

// icon returns the CSS class for a link: that of its host or of the closest parent domain.
func icon(url string) string {
	for name := waymark.Host(url); name != ""; {
		if brand, ok := brandIcons[name]; ok {
			return "fab fa-" + brand
		}
		_, name, _ = strings.Cut(name, ".")
	}
	return defaultIcon
}

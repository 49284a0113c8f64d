package api

import (
	"strings"

	"waymark/internal/waymark"
)

// defaultIcon is the icon of links to hosts without a brand icon.
const defaultIcon = "fa fa-link"

// brandIcons maps hosts and their subdomains to the CSS classes of Font Awesome icons.
var brandIcons = map[string]string{
	"amazon.com":        "fab fa-amazon",
	"apple.com":         "fab fa-apple",
	"behance.net":       "fab fa-behance",
	"bitbucket.org":     "fab fa-bitbucket",
	"codepen.io":        "fab fa-codepen",
	"dev.to":            "fab fa-dev",
	"deviantart.com":    "fab fa-deviantart",
	"digitalocean.com":  "fab fa-digital-ocean",
	"discord.com":       "fab fa-discord",
	"docker.com":        "fab fa-docker",
	"dribbble.com":      "fab fa-dribbble",
	"dropbox.com":       "fab fa-dropbox",
	"etsy.com":          "fab fa-etsy",
	"facebook.com":      "fab fa-facebook",
	"figma.com":         "fab fa-figma",
	"flickr.com":        "fab fa-flickr",
	"github.com":        "fab fa-github",
	"github.io":         "fab fa-github",
	"gitlab.com":        "fab fa-gitlab",
	"goodreads.com":     "fab fa-goodreads",
	"google.com":        "fab fa-google",
	"imdb.com":          "fab fa-imdb",
	"instagram.com":     "fab fa-instagram",
	"itch.io":           "fab fa-itch-io",
	"jsfiddle.net":      "fab fa-jsfiddle",
	"kickstarter.com":   "fab fa-kickstarter",
	"last.fm":           "fab fa-lastfm",
	"linkedin.com":      "fab fa-linkedin",
	"medium.com":        "fab fa-medium",
	"microsoft.com":     "fab fa-microsoft",
	"npmjs.com":         "fab fa-npm",
	"patreon.com":       "fab fa-patreon",
	"pinterest.com":     "fab fa-pinterest",
	"producthunt.com":   "fab fa-product-hunt",
	"quora.com":         "fab fa-quora",
	"reddit.com":        "fab fa-reddit",
	"researchgate.net":  "fab fa-researchgate",
	"slideshare.net":    "fab fa-slideshare",
	"soundcloud.com":    "fab fa-soundcloud",
	"spotify.com":       "fab fa-spotify",
	"stackexchange.com": "fab fa-stack-exchange",
	"stackoverflow.com": "fab fa-stack-overflow",
	"steampowered.com":  "fab fa-steam",
	"t.me":              "fab fa-telegram",
	"telegram.org":      "fab fa-telegram",
	"trello.com":        "fab fa-trello",
	"tumblr.com":        "fab fa-tumblr",
	"twitch.tv":         "fab fa-twitch",
	"twitter.com":       "fab fa-twitter",
	"vimeo.com":         "fab fa-vimeo",
	"whatsapp.com":      "fab fa-whatsapp",
	"wikipedia.org":     "fab fa-wikipedia-w",
	"wordpress.com":     "fab fa-wordpress",
	"wordpress.org":     "fab fa-wordpress",
	"x.com":             "fab fa-twitter",
	"ycombinator.com":   "fab fa-y-combinator",
	"youtu.be":          "fab fa-youtube",
	"youtube.com":       "fab fa-youtube",
}

// icon returns the CSS class for a link: that of its host or of the closest parent domain.
func icon(url string) string {
	for name := waymark.Host(url); name != ""; {
		if class, ok := brandIcons[name]; ok {
			return class
		}
		_, name, _ = strings.Cut(name, ".")
	}
	return defaultIcon
}

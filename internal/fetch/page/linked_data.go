package page

import (
	"encoding/json"
	"strings"
)

// maxNodes is the maximum number of nodes of JSON-LD that are read.
const maxNodes = 100

// notPages are types of nodes of JSON-LD that do not describe the page.
var notPages = map[string]bool{
	"Organization": true, "NewsMediaOrganization": true, "Corporation": true, "Person": true, "WebSite": true,
	"BreadcrumbList": true, "SearchAction": true, "ImageObject": true, "SiteNavigationElement": true,
}

// linkedData reads JSON-LD in the vocabulary of https://schema.org. It ignores invalid JSON.
func (h *head) linkedData(content []byte) {
	var document any
	if json.Unmarshal(content, &document) != nil {
		return
	}
	waiting := []any{document}
	for n := 0; len(waiting) > 0 && n < maxNodes; n++ {
		node := waiting[0]
		waiting = waiting[1:]
		switch node := node.(type) {
		case []any:
			waiting = append(waiting, node...)
		case map[string]any:
			if graph, ok := node["@graph"]; ok {
				waiting = append(waiting, graph)
			}
			kind := firstText(node["@type"])
			if !notPages[kind[strings.LastIndexAny(kind, "/:")+1:]] { // without https://schema.org/ or a prefix
				h.linkedNode(node)
			}
		}
	}
}

func (h *head) linkedNode(node map[string]any) {
	set(&h.linkedTitle, firstText(node["headline"]))
	set(&h.linkedTitle, firstText(node["name"]))
	set(&h.linkedDetail, firstText(node["description"]))
	image := node["image"]
	if list, ok := image.([]any); ok && len(list) > 0 {
		image = list[0]
	}
	if object, ok := image.(map[string]any); ok {
		image = object["url"]
	}
	set(&h.linkedImage, firstText(image))
}

// firstText returns a text, or the first of a list of texts, or "".
func firstText(value any) string {
	if list, ok := value.([]any); ok && len(list) > 0 {
		value = list[0]
	}
	s, _ := value.(string) // "" for another type
	return s
}

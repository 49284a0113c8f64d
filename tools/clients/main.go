// Command clients creates, lists, searches and deletes a link with the client that
// oapi-codegen generates from the API document. scripts/clients.sh runs it.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	"waymark/tools/clients/generated/oapi"
)

const url = "https://oapi-codegen.example/"

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	api, err := oapi.NewClientWithResponses(os.Getenv("WAYMARK_URL")+"/api/v2",
		oapi.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+os.Getenv("WAYMARK_KEY"))
			return nil
		}))
	if err != nil {
		return err
	}
	list, err := api.AddListWithResponse(ctx, oapi.LinkListInput{Name: "oapi-codegen"})
	if err != nil {
		return err
	}
	if list.JSON200 == nil || list.JSON200.Id != 1 {
		return fmt.Errorf("add a list: %s", list.Body)
	}
	var byID, byName oapi.Membership
	if err := errors.Join(byID.FromMembership0(list.JSON200.Id), byName.FromMembership1("go")); err != nil {
		return err
	}
	visibility := oapi.VisibilityInput(2)
	added, err := api.AddLinkWithResponse(ctx, nil, oapi.LinkInput{
		Url:        url,
		Lists:      &oapi.Memberships{byID},
		Tags:       &oapi.Memberships{byName},
		Visibility: &visibility,
	})
	if err != nil {
		return err
	}
	if added.JSON200 == nil {
		return fmt.Errorf("add a link: %s", added.Body)
	}
	link := added.JSON200
	if link.Url != url || link.IsPrivate || len(link.Lists) != 1 || len(link.Tags) != 1 || link.Tags[0].Name != "go" || link.DeletedAt != nil {
		return fmt.Errorf("added: got %+v", link)
	}

	everything := -1
	all, err := api.AllLinksWithResponse(ctx, &oapi.AllLinksParams{PerPage: &everything})
	if err != nil {
		return err
	}
	if all.JSON200 == nil || all.JSON200.Total != 1 || all.JSON200.Data[0].Id != link.Id {
		return fmt.Errorf("all links: %s", all.Body)
	}
	text, yes := "OAPI", true
	found, err := api.SearchLinksWithResponse(ctx, &oapi.SearchLinksParams{Query: &text, SearchTitle: &yes})
	if err != nil {
		return err
	}
	if found.JSON200 == nil || found.JSON200.Total != 1 {
		return fmt.Errorf("search: %s", found.Body)
	}
	again, err := api.AddLinkWithResponse(ctx, nil, oapi.LinkInput{Url: url})
	if err != nil {
		return err
	}
	if again.JSON422 == nil || again.JSON422.Errors["url"][0] != "The url has already been taken." {
		return fmt.Errorf("add the link again: %s", again.Body)
	}

	if _, err := api.TrashLinkWithResponse(ctx, link.Id); err != nil {
		return err
	}
	gone, err := api.ShowLinkWithResponse(ctx, link.Id)
	if err != nil {
		return err
	}
	if gone.JSON404 == nil {
		return fmt.Errorf("get the deleted link: %s", gone.Body)
	}
	return nil
}

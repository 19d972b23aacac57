// An API with net/http.
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
)

func main() {
	issuer := cmp.Or(os.Getenv("ISSUER"), "http://localhost:8081")
	audience := cmp.Or(os.Getenv("AUDIENCE"), "authenticated")
	port := cmp.Or(os.Getenv("PORT"), "4300")
	latchkey, err := OpenLatchkey(context.Background(), issuer, audience)
	if err != nil {
		log.Fatal(err)
	}

	mux := http.NewServeMux()
	handle := func(pattern string, handler func(w http.ResponseWriter, r *http.Request, user *User) error) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			user, err := latchkey.ReadUser(r)
			if err == nil {
				err = handler(w, r, user)
			}
			if err != nil {
				WriteError(w, err)
			}
		})
	}

	handle("GET /me", func(w http.ResponseWriter, _ *http.Request, user *User) error {
		var organization *string
		if user.Organization != "" {
			organization = &user.Organization
		}
		WriteJSON(w, http.StatusOK, map[string]any{"id": user.ID, "aal": user.AAL, "organization": organization})
		return nil
	})
	handle("POST /payouts", func(w http.ResponseWriter, r *http.Request, user *User) error {
		if err := user.RequireSecondFactor(); err != nil {
			return err
		}
		if err := latchkey.RequireLiveSession(r.Context(), user); err != nil {
			return err
		}
		WriteJSON(w, http.StatusCreated, map[string]string{"by": user.ID})
		return nil
	})
	handle("GET /organizations/{id}/documents", func(w http.ResponseWriter, r *http.Request, user *User) error {
		if err := user.RequireOrganization(r.PathValue("id"), ""); err != nil {
			return err
		}
		WriteJSON(w, http.StatusOK, []string{})
		return nil
	})
	handle("POST /organizations/{id}/documents", func(w http.ResponseWriter, r *http.Request, user *User) error {
		if err := user.RequireOrganization(r.PathValue("id"), "documents:write"); err != nil {
			return err
		}
		WriteJSON(w, http.StatusCreated, map[string]string{"by": user.ID})
		return nil
	})

	listener, err := net.Listen("tcp", "localhost:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("API at http://localhost:%s\n", port)
	log.Fatal(http.Serve(listener, mux))
}

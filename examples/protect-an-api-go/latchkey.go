package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/MicahParks/keyfunc/v3"
	"github.com/golang-jwt/jwt/v5"
	"golang.org/x/time/rate"
)

// Latchkey checks access tokens.
type Latchkey struct {
	issuer string
	keys   keyfunc.Keyfunc
	parser *jwt.Parser
}

// User is who calls.
type User struct {
	token        string
	ID           string
	AAL          string
	Organization string
	Permissions  []string
}

// Refusal is an answer other than the one that was asked for.
type Refusal struct {
	status int
	reason string
}

func (r *Refusal) Error() string { return r.reason }

type claims struct {
	jwt.RegisteredClaims
	Role         string   `json:"role"`
	AAL          string   `json:"aal"`
	ClientID     string   `json:"client_id"`
	Organization string   `json:"org_id"`
	Permissions  []string `json:"org_permissions"`
}

// OpenLatchkey fetches the keys now, every ten minutes, and for a key that is new, at most every ten seconds.
func OpenLatchkey(ctx context.Context, issuer, audience string) (*Latchkey, error) {
	keys, err := keyfunc.NewDefaultOverrideCtx(ctx, []string{issuer + "/.well-known/jwks.json"}, keyfunc.Override{
		HTTPTimeout:       3 * time.Second,
		RateLimitWaitMax:  3 * time.Second,
		RefreshInterval:   10 * time.Minute,
		RefreshUnknownKID: rate.NewLimiter(rate.Every(10*time.Second), 1),
	})
	if err != nil {
		return nil, err
	}
	parser := jwt.NewParser(
		jwt.WithValidMethods([]string{"ES256", "RS256"}),
		jwt.WithIssuer(issuer),
		jwt.WithAudience(audience),
		jwt.WithExpirationRequired(),
	)
	return &Latchkey{issuer, keys, parser}, nil
}

// ReadUser refuses with 401 without a valid token, 403 unless it is a user's, and 503 as long as there are no keys.
func (l *Latchkey) ReadUser(r *http.Request) (*User, error) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return nil, &Refusal{http.StatusUnauthorized, "token_missing"}
	}
	var c claims
	if _, err := l.parser.ParseWithClaims(token, &c, l.keys.KeyfuncCtx(r.Context())); err != nil {
		if errors.Is(err, keyfunc.ErrKeyfunc) && !l.hasKeys(r.Context()) {
			return nil, &Refusal{http.StatusServiceUnavailable, "keys_unavailable"}
		}
		return nil, &Refusal{http.StatusUnauthorized, "invalid_token"}
	}
	if c.Subject == "" {
		return nil, &Refusal{http.StatusUnauthorized, "invalid_token"}
	}
	// Programs, administrators, and users who still need a second factor have other roles; tokens of other applications
	// have client_id.
	if c.Role != "authenticated" || c.ClientID != "" {
		return nil, &Refusal{http.StatusForbidden, "user_required"}
	}
	return &User{token, c.Subject, c.AAL, c.Organization, c.Permissions}, nil
}

// A first fetch that failed leaves none. Keys that were fetched are used as long as there are no newer ones.
func (l *Latchkey) hasKeys(ctx context.Context) bool {
	all, err := l.keys.Storage().KeyReadAll(ctx)
	return err == nil && len(all) > 0
}

// RequireSecondFactor refuses with 403 unless the session has one.
func (u *User) RequireSecondFactor() error {
	if u.AAL != "aal2" {
		return &Refusal{http.StatusForbidden, "insufficient_aal"}
	}
	return nil
}

// RequireOrganization refuses with 403 unless the user acts for it, with the permission unless that is empty.
func (u *User) RequireOrganization(id, permission string) error {
	if u.Organization == "" || u.Organization != id {
		return &Refusal{http.StatusForbidden, "other_organization"}
	}
	if permission != "" && !slices.Contains(u.Permissions, permission) {
		return &Refusal{http.StatusForbidden, "permission_missing"}
	}
	return nil
}

// RequireLiveSession asks Latchkey whether the session is still there, which the token cannot say. It refuses with 401 if
// it has ended, and with 503 if Latchkey does not answer. It costs a call: ask where it matters.
func (l *Latchkey) RequireLiveSession(ctx context.Context, u *User) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, l.issuer+"/user", nil)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+u.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return &Refusal{http.StatusServiceUnavailable, "latchkey_unavailable"}
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		return &Refusal{http.StatusUnauthorized, "invalid_token"}
	default:
		return &Refusal{http.StatusServiceUnavailable, "latchkey_unavailable"}
	}
}

// WriteError answers with a refusal, and with 500 for any other error.
func WriteError(w http.ResponseWriter, err error) {
	var refusal *Refusal
	if !errors.As(err, &refusal) {
		refusal = &Refusal{http.StatusInternalServerError, "unexpected_failure"}
	}
	switch {
	case refusal.reason == "token_missing": // RFC 6750 3
		w.Header().Set("WWW-Authenticate", "Bearer")
	case refusal.status == http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer error="`+refusal.reason+`"`)
	case refusal.status == http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "5")
	}
	WriteJSON(w, refusal.status, map[string]string{"error": refusal.reason})
}

// WriteJSON answers with a body.
func WriteJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

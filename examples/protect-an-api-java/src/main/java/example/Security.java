package example;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.DefaultResourceRetriever;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import java.net.MalformedURLException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.config.ObjectPostProcessor;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.core.authority.SimpleGrantedAuthority;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtClaimValidator;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtIssuerValidator;
import org.springframework.security.oauth2.jwt.JwtTimestampValidator;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationToken;
import org.springframework.security.oauth2.server.resource.web.authentication.BearerTokenAuthenticationFilter;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.AuthenticationEntryPointFailureHandler;

/** Checks access tokens of Latchkey before an endpoint is reached. */
@Configuration
class Security {
  /** Fetched with the first token, and again after ten minutes or for a key that is new, at most twice every ten seconds. */
  @Bean
  JWKSource<SecurityContext> keys(@Value("${issuer}") String issuer) throws MalformedURLException {
    var address = URI.create(issuer + "/.well-known/jwks.json").toURL();
    return JWKSourceBuilder.create(address, new DefaultResourceRetriever(3000, 3000))
        .cache(Duration.ofMinutes(10).toMillis(), Duration.ofSeconds(5).toMillis())
        .rateLimited(Duration.ofSeconds(10).toMillis())
        .build();
  }

  @Bean
  JwtDecoder decoder(
      JWKSource<SecurityContext> keys,
      @Value("${issuer}") String issuer,
      @Value("${audience}") String audience) {
    var processor = new DefaultJWTProcessor<SecurityContext>();
    var algorithms = Set.of(JWSAlgorithm.ES256, JWSAlgorithm.RS256);
    processor.setJWSKeySelector(new JWSVerificationKeySelector<>(algorithms, keys));
    // Those below check the claims.
    processor.setJWTClaimsSetVerifier((claims, context) -> {});
    var decoder = new NimbusJwtDecoder(processor);
    var times = new JwtTimestampValidator(Duration.ZERO);
    // Without this, a token without exp is valid for ever.
    times.setAllowEmptyExpiryClaim(false);
    decoder.setJwtValidator(
        new DelegatingOAuth2TokenValidator<>(
            times,
            new JwtIssuerValidator(issuer),
            new JwtClaimValidator<List<String>>("aud", aud -> aud != null && aud.contains(audience)),
            new JwtClaimValidator<String>("sub", sub -> sub != null && !sub.isEmpty())));
    return decoder;
  }

  @Bean
  SecurityFilterChain filters(HttpSecurity http, JWKSource<SecurityContext> keys) throws Exception {
    AuthenticationEntryPoint refuse =
        (request, response, error) -> {
          var authorization = request.getHeader("Authorization");
          if (authorization == null || !authorization.matches("(?i)Bearer +\\S.*"))
            Answers.write(response, 401, "token_missing");
          else if (isAboutKeys(error) && !hasKeys(keys)) Answers.write(response, 503, "keys_unavailable");
          else Answers.write(response, 401, "invalid_token");
        };
    return http.csrf(csrf -> csrf.disable())
        .sessionManagement(session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
        .authorizeHttpRequests(requests -> requests.anyRequest().hasAuthority("user"))
        .exceptionHandling(
            handling ->
                handling.accessDeniedHandler(
                    (request, response, error) -> Answers.write(response, 403, "user_required")))
        .oauth2ResourceServer(
            server ->
                server
                    .authenticationEntryPoint(refuse)
                    .accessDeniedHandler((request, response, error) -> Answers.write(response, 403, "user_required"))
                    .jwt(jwt -> jwt.jwtAuthenticationConverter(Security::readUser))
                    .withObjectPostProcessor(leadFailuresTo(refuse)))
        .build();
  }

  /**
   * Programs, administrators, and users who still need a second factor have other roles; tokens of other applications have
   * client_id.
   */
  private static AbstractAuthenticationToken readUser(Jwt token) {
    var isUser = "authenticated".equals(token.getClaimAsString("role")) && !token.hasClaim("client_id");
    return new JwtAuthenticationToken(token, isUser ? List.of(new SimpleGrantedAuthority("user")) : List.of());
  }

  /** Unless told so, Spring answers 500 where the keys cannot be fetched. */
  private static ObjectPostProcessor<BearerTokenAuthenticationFilter> leadFailuresTo(AuthenticationEntryPoint entry) {
    var handler = new AuthenticationEntryPointFailureHandler(entry);
    handler.setRethrowAuthenticationServiceException(false);
    return new ObjectPostProcessor<>() {
      @Override
      public <Filter extends BearerTokenAuthenticationFilter> Filter postProcess(Filter filter) {
        filter.setAuthenticationFailureHandler(handler);
        return filter;
      }
    };
  }

  private static boolean isAboutKeys(AuthenticationException error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause())
      if (cause instanceof KeySourceException) return true;
    return false;
  }

  /** Where there are some, the token named another one, and it was too soon to fetch them again. */
  private static boolean hasKeys(JWKSource<SecurityContext> keys) {
    try {
      return !keys.get(new JWKSelector(new JWKMatcher.Builder().build()), null).isEmpty();
    } catch (KeySourceException error) {
      return false;
    }
  }
}

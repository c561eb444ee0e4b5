// An outside project that uses the installed package: fuzzes the in-memory backend for ten seeds.
#include <cstdio>

#include "adapters/adapters.h"
#include "harness/campaign.h"

int main() {
  causalcheck::CampaignOptions options;
  options.plan.backend = "memory";
  options.make_backend = [] { return causalcheck::make_backend("memory"); };
  options.runs = 10;
  const causalcheck::CampaignResult result = causalcheck::run_campaign(options);
  std::printf("%llu runs\n", static_cast<unsigned long long>(result.summary.runs));
  return result.summary.runs == 10 && result.summary.broke == 0 ? 0 : 1;
}
